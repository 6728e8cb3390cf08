//! `tarsus skills …`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use tarsus_protocol::capability::{Capability, TrustTier};

use super::Consent;

/// `tarsus skills …`; without a word more, the list.
#[derive(Debug, Subcommand)]
pub enum Skills {
    /// Every skill: whether it is ready, and where it comes from
    #[command(
        after_help = "Examples:\n  tarsus skills list\n  tarsus skills list --eligible\n  tarsus skills list -v          what is missing, and what was shadowed or skipped\n  tarsus skills list --json"
    )]
    List {
        /// Only those that are ready
        #[arg(long)]
        eligible: bool,
    },
    /// One skill: where it is, what it needs, and how to get that
    #[command(after_help = "Examples:\n  tarsus skills info weather\n  tarsus skills info weather --json")]
    Info {
        /// Its name or key
        name: String,
    },
    /// How many skills are ready, what the others miss, and what was left out of the prompt
    #[command(after_help = "Examples:\n  tarsus skills check\n  tarsus skills check --json")]
    Check,
    /// Check SKILL.md files or folders of them, wherever they are
    #[command(
        after_help = "Examples:\n  tarsus skills validate my-skill\n  tarsus skills validate --strict my-skill     by the rules of the AgentSkills reference\n  tarsus skills validate --json skills/*       one JSON object a line"
    )]
    Validate {
        /// Judge by the rules of the AgentSkills reference instead
        #[arg(long)]
        strict: bool,
        /// A SKILL.md, or a folder that holds one or several
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<PathBuf>,
    },
    /// Look into skills for what could do harm, wherever they are; nothing in them is run
    #[command(
        after_help = "Examples:\n  tarsus skills scan my-skill\n  tarsus skills scan -v skills/*                with remarks that need no attention\n  tarsus skills scan --json skills/*            one JSON object a line\n  tarsus skills scan --sarif skills/* > a.sarif\n\nExit code 0 when nothing serious was found, 1 when something would be blocked, 6 with --strict when\nsomebody should look at something."
    )]
    Scan(Scan),
    /// Install a skill from a folder or archive (zip, tar, tar.gz) of this machine, for every agent
    #[command(
        after_help = "Examples:\n  tarsus skills install ~/Downloads/rent-letter\n  tarsus skills install rent-letter.zip --as rent-letter-2026\n  tarsus skills install rent-letter.tar.gz --yes\n\nIt is looked into first. What it asks for and what was found is shown; then it is asked whether to go on."
    )]
    Install {
        /// A folder with a SKILL.md, or an archive of one
        path: PathBuf,
        /// The name of its folder [default: its own name]
        #[arg(long = "as", value_name = "NAME")]
        slug: Option<String>,
        #[command(flatten)]
        consent: Consent,
    },
    /// Take a skill of the workspace, or one that was installed, away into the trash
    #[command(
        after_help = "Examples:\n  tarsus skills remove rent-letter\n  tarsus skills restore rent-letter     brings it back"
    )]
    Remove {
        /// Its name or key
        name: String,
        #[command(flatten)]
        consent: Consent,
    },
    /// Bring a skill back from the trash; without a name, list what is there
    #[command(after_help = "Examples:\n  tarsus skills restore\n  tarsus skills restore rent-letter")]
    Restore {
        /// Its name
        name: Option<String>,
    },
    /// Allow capabilities to a community skill, as its folder is now
    #[command(
        after_help = "Examples:\n  tarsus skills grant git-autopush shell network\n\nshell, filesystem, network, browser, sessions, messaging, scheduling. When anything in the folder changes, the\ngrant does not count any more."
    )]
    Grant {
        /// Its name or key
        name: String,
        /// What it may use
        #[arg(required = true, value_name = "CAPABILITY", value_parser = capability)]
        capabilities: Vec<Capability>,
    },
    /// Take back what was granted to a skill; all of it when nothing is named
    #[command(
        after_help = "Examples:\n  tarsus skills revoke git-autopush\n  tarsus skills revoke git-autopush network"
    )]
    Revoke {
        /// Its name or key
        name: String,
        /// What it may not use any more
        #[arg(value_name = "CAPABILITY", value_parser = capability)]
        capabilities: Vec<Capability>,
    },
    /// Live with a finding in a skill, as its folder is now
    #[command(
        after_help = "Examples:\n  tarsus skills accept red-team --rule RULE --reason \"examples in its own tests\"\n  tarsus skills accept red-team --rule RULE --undo\n\n`tarsus skills info NAME` shows the rule of each finding."
    )]
    Accept {
        /// Its name or key
        name: String,
        /// The rule that found it
        #[arg(long, value_name = "ID")]
        rule: String,
        /// Why, for the record
        #[arg(long, value_name = "TEXT", required_unless_present = "undo")]
        reason: Option<String>,
        /// Live with it no more
        #[arg(long, conflicts_with = "reason")]
        undo: bool,
    },
    /// Trust a skill more or less than where it came from says
    #[command(
        after_help = "Examples:\n  tarsus skills trust my-own local            held to nothing, as it is now\n  tarsus skills trust copied-one community    looked into, blocked when harmful, held to its capabilities\n\nMore trust is for the folder as it is: when anything in it changes, it does not count any more."
    )]
    Trust {
        /// Its name or key
        name: String,
        /// community, local or builtin
        #[arg(value_name = "TIER", value_parser = tier)]
        tier: TrustTier,
    },
    /// Switch a skill on, for every agent
    #[command(
        after_help = "Examples:\n  tarsus skills enable weather\n\nA community skill whose capabilities you have not seen yet shows them first."
    )]
    Enable {
        /// Its name or key
        name: String,
        #[command(flatten)]
        consent: Consent,
    },
    /// Switch a skill off, for every agent
    #[command(after_help = "Examples:\n  tarsus skills disable weather")]
    Disable {
        /// Its name or key
        name: String,
    },
    /// Read all skills again, and say what changed since the last time
    #[command(after_help = "Examples:\n  tarsus skills refresh\n  tarsus skills refresh --json")]
    Refresh,
    /// What the model is told about the skills of an agent
    #[command(after_help = "Examples:\n  tarsus skills prompt\n  tarsus skills prompt --agent work")]
    Prompt,
    /// Print what changes among the skills, until Ctrl-C
    #[command(
        after_help = "Examples:\n  tarsus skills watch\n  tarsus skills watch --json     one JSON object a line"
    )]
    Watch,
}

/// `tarsus skills scan …`.
#[derive(Debug, Args)]
pub struct Scan {
    /// A SKILL.md, a skill's folder, or a folder of skills
    #[arg(required_unless_present = "install_policy", value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Print SARIF 2.1.0, for programs that show findings in code
    #[arg(long, conflicts_with = "json")]
    pub sarif: bool,
    /// Exit with 6 when somebody should look at something
    #[arg(long)]
    pub strict: bool,
    /// Answer one question of OpenClaw's `security.installPolicy` on standard input
    #[arg(long, conflicts_with_all = ["paths", "sarif", "strict"])]
    pub install_policy: bool,
}

fn capability(name: &str) -> Result<Capability, String> {
    Capability::named(name).ok_or_else(|| {
        let all: Vec<&str> = Capability::ALL.iter().map(|capability| capability.name()).collect();
        format!("there are {}", all.join(", "))
    })
}

fn tier(name: &str) -> Result<TrustTier, String> {
    TrustTier::named(name).ok_or_else(|| {
        let all: Vec<&str> = TrustTier::ALL.iter().map(|tier| tier.name()).collect();
        format!("there are {}", all.join(", "))
    })
}

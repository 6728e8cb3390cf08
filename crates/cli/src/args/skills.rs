//! `tarsus skills …`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use tarsus_protocol::capability::{Capability, TrustTier};

use super::Consent;

/// `tarsus skills …`; without a subcommand, `list`.
#[derive(Debug, Subcommand)]
pub enum Skills {
    /// List every skill with its state and source
    #[command(
        after_help = "Examples:\n  tarsus skills list\n  tarsus skills list --eligible\n  tarsus skills list -v          also missing requirements, and shadowed and skipped skills\n  tarsus skills list --json"
    )]
    List {
        /// Only skills that are ready
        #[arg(long)]
        eligible: bool,
    },
    /// Show one skill: its file, its requirements and how to install them
    #[command(after_help = "Examples:\n  tarsus skills info weather\n  tarsus skills info weather --json")]
    Info {
        /// Its name or key
        name: String,
    },
    /// Count the skills by state, and show what is missing or left out of the prompt
    #[command(after_help = "Examples:\n  tarsus skills check\n  tarsus skills check --json")]
    Check,
    /// Check SKILL.md files, or folders of them, at any path
    #[command(
        after_help = "Examples:\n  tarsus skills validate my-skill\n  tarsus skills validate --strict my-skill     against the AgentSkills reference\n  tarsus skills validate --json skills/*       one JSON object per line"
    )]
    Validate {
        /// Check against the rules of the AgentSkills reference instead
        #[arg(long)]
        strict: bool,
        /// A SKILL.md, or a folder with one or several
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<PathBuf>,
    },
    /// Scan skills at any path for harmful contents, without running anything
    #[command(
        after_help = "Examples:\n  tarsus skills scan my-skill\n  tarsus skills scan -v skills/*                also informational findings\n  tarsus skills scan --json skills/*            one JSON object per line\n  tarsus skills scan --sarif skills/* > a.sarif\n\nThe exit code is 1 if a skill would be blocked, 6 if there are warnings and --strict is set, otherwise 0."
    )]
    Scan(Scan),
    /// Install a skill for every agent, from a folder or an archive (zip, tar, tar.gz) on this machine
    #[command(
        after_help = "Examples:\n  tarsus skills install ~/Downloads/rent-letter\n  tarsus skills install rent-letter.zip --as rent-letter-2026\n  tarsus skills install rent-letter.tar.gz --yes\n\nThe skill is scanned first. Its capabilities and findings are shown, and you are asked whether to install it."
    )]
    Install {
        /// A folder with a SKILL.md, or an archive of such a folder
        path: PathBuf,
        /// The name of its folder [default: its own name]
        #[arg(long = "as", value_name = "NAME")]
        slug: Option<String>,
        #[command(flatten)]
        consent: Consent,
    },
    /// Move a workspace skill or an installed skill to the trash
    #[command(
        after_help = "Examples:\n  tarsus skills remove rent-letter\n  tarsus skills restore rent-letter     restores it"
    )]
    Remove {
        /// Its name or key
        name: String,
        #[command(flatten)]
        consent: Consent,
    },
    /// Restore a skill from the trash; without a name, list the trash
    #[command(after_help = "Examples:\n  tarsus skills restore\n  tarsus skills restore rent-letter")]
    Restore {
        /// Its name
        name: Option<String>,
    },
    /// Grant capabilities to a community skill, for its folder as it is now
    #[command(
        after_help = "Examples:\n  tarsus skills grant git-autopush shell network\n\nshell, filesystem, network, browser, sessions, messaging, scheduling. The grant ends\nwhen anything in the folder changes."
    )]
    Grant {
        /// Its name or key
        name: String,
        /// The capabilities
        #[arg(required = true, value_name = "CAPABILITY", value_parser = capability)]
        capabilities: Vec<Capability>,
    },
    /// Revoke capabilities of a skill; without names, all of them
    #[command(
        after_help = "Examples:\n  tarsus skills revoke git-autopush\n  tarsus skills revoke git-autopush network"
    )]
    Revoke {
        /// Its name or key
        name: String,
        /// The capabilities
        #[arg(value_name = "CAPABILITY", value_parser = capability)]
        capabilities: Vec<Capability>,
    },
    /// Accept a finding in a skill, for its folder as it is now
    #[command(
        after_help = "Examples:\n  tarsus skills accept red-team --rule RULE --reason \"examples in its own tests\"\n  tarsus skills accept red-team --rule RULE --undo\n\n`tarsus skills info NAME` shows the rule of each finding."
    )]
    Accept {
        /// Its name or key
        name: String,
        /// The rule of the finding
        #[arg(long, value_name = "ID")]
        rule: String,
        /// The reason, for the audit log
        #[arg(long, value_name = "TEXT", required_unless_present = "undo")]
        reason: Option<String>,
        /// Withdraw the acceptance
        #[arg(long, conflicts_with = "reason")]
        undo: bool,
    },
    /// Set the trust tier of a skill, instead of the one of its source
    #[command(
        after_help = "Examples:\n  tarsus skills trust my-own local            not restricted, for its folder as it is now\n  tarsus skills trust copied-one community    scanned, blocked if harmful, restricted to its capabilities\n\nTrust above that of the source ends when anything in the folder changes. For a blocked skill, the\nfindings and the agents that would use it are shown, and you are asked to type its name."
    )]
    Trust {
        /// Its name or key
        name: String,
        /// community, local or builtin
        #[arg(value_name = "TIER", value_parser = tier)]
        tier: TrustTier,
        /// The name of a blocked skill once more, instead of typing it when asked
        #[arg(long, value_name = "NAME")]
        confirm: Option<String>,
    },
    /// Turn a skill on, for every agent
    #[command(
        after_help = "Examples:\n  tarsus skills enable weather\n\nThe capabilities of a community skill are shown for approval first."
    )]
    Enable {
        /// Its name or key
        name: String,
        #[command(flatten)]
        consent: Consent,
    },
    /// Turn a skill off, for every agent
    #[command(after_help = "Examples:\n  tarsus skills disable weather")]
    Disable {
        /// Its name or key
        name: String,
    },
    /// Read all skills again and show what changed since the last time
    #[command(after_help = "Examples:\n  tarsus skills refresh\n  tarsus skills refresh --json")]
    Refresh,
    /// Print the part of the prompt that offers skills to the model
    #[command(after_help = "Examples:\n  tarsus skills prompt\n  tarsus skills prompt --agent work")]
    Prompt,
    /// Print changes of skills until Ctrl-C
    #[command(
        after_help = "Examples:\n  tarsus skills watch\n  tarsus skills watch --json     one JSON object per line"
    )]
    Watch,
}

impl Skills {
    /// Whether it only takes a right or a skill away.
    pub fn takes_away(&self) -> bool {
        match self {
            Self::Revoke { .. } | Self::Disable { .. } | Self::Remove { .. } => true,
            Self::Accept { undo, .. } => *undo,
            Self::Trust { tier, .. } => *tier == TrustTier::Community,
            _ => false,
        }
    }
}

/// `tarsus skills scan …`.
#[derive(Debug, Args)]
pub struct Scan {
    /// A SKILL.md, a skill's folder, or a folder of skills
    #[arg(required_unless_present = "install_policy", value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Print SARIF 2.1.0, for code hosts and editors
    #[arg(long, conflicts_with = "json")]
    pub sarif: bool,
    /// Exit with 6 if there are warnings
    #[arg(long)]
    pub strict: bool,
    /// Answer one `security.installPolicy` request of OpenClaw from standard input
    #[arg(long, conflicts_with_all = ["paths", "sarif", "strict"])]
    pub install_policy: bool,
}

fn capability(name: &str) -> Result<Capability, String> {
    Capability::named(name).ok_or_else(|| {
        let all: Vec<&str> = Capability::ALL.iter().map(|capability| capability.name()).collect();
        format!("expected one of {}", all.join(", "))
    })
}

fn tier(name: &str) -> Result<TrustTier, String> {
    TrustTier::named(name).ok_or_else(|| {
        let all: Vec<&str> = TrustTier::ALL.iter().map(|tier| tier.name()).collect();
        format!("expected one of {}", all.join(", "))
    })
}

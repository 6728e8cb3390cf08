//! Gaining privileges and disabling protection.

use tarsus_protocol::scan::Category;

use super::{BLOCK, CRITICAL, INFO, SENTENCE, WARNING};
use crate::rule::{Detection, MentionPolicy, Patterns, Rule, RuleFamily, RuleScope, SegmentSet};

pub(super) const FAMILY: RuleFamily = RuleFamily {
    category: Category::Privilege,
    owasp: "AST03",
    fix: "Give the skill no more rights than its task needs, and keep protection on.",
    rules: &[
        Rule {
            id: "privilege.password-free",
            title: "lets somebody act as the administrator without a password",
            why: "From then on every program of that person can change the whole machine.",
            how: Detection::Text(Patterns {
                hints: &["nopasswd", "/etc/sudoers", "chmod u+s", "chmod 4", "chmod +s"],
                all: &[
                    r"(echo|tee|printf|cat)\b[^\n]{0,120}nopasswd:?\s?all|>>?\s?/etc/sudoers\b|\bchmod (u\+s|\+s|47[0-7]{2}|67[0-7]{2}) [^\n]{0,60}",
                ],
                ..BLOCK
            }),
            flags: &["echo 'me ALL=(ALL) NOPASSWD: ALL' >> /etc/sudoers", "chmod u+s /tmp/shell"],
            passes: &["sudo -l"],
            ..CRITICAL
        },
        Rule {
            id: "privilege.protection-off",
            title: "switches the machine's protection off",
            why: "Protection that is off does not come back by itself.",
            how: Detection::Text(Patterns {
                hints: &[
                    "setenforce",
                    "csrutil",
                    "spctl",
                    "disablerealtimemonitoring",
                    "ufw disable",
                    "iptables -f",
                    "netsh advfirewall",
                    "com.apple.quarantine",
                    "add-mppreference",
                    "xattr -c",
                    "set-executionpolicy",
                ],
                all: &[
                    r"\bsetenforce 0|\bcsrutil disable|\bspctl --(master|global)-disable|-disablerealtimemonitoring|\bufw disable|\biptables -f\b|netsh advfirewall set \w+ state off|add-mppreference -exclusion|\bxattr (-\w+ ){0,2}(-\w*d\w* )?com\.apple\.quarantine|\bxattr -\w*c\w* [^\n]{0,60}",
                ],
                ..BLOCK
            }),
            flags: &["sudo spctl --master-disable", "Set-MpPreference -DisableRealtimeMonitoring $true"],
            passes: &["spctl --assess app.app"],
            ..WARNING
        },
        Rule {
            id: "privilege.open-to-all",
            title: "opens files to everybody",
            why: "Everybody on the machine can then change what is there.",
            how: Detection::Text(Patterns {
                hints: &["chmod", "chown -r root"],
                all: &[
                    r"\bchmod (-r )?(0?777|a\+rwx|o\+w) \S+|\bchown -r root(:root)? (/opt|/usr|/home|/var|/etc|~)\S*",
                ],
                ..BLOCK
            }),
            flags: &["chmod 777 /opt/data"],
            passes: &["chmod 755 run.sh", "chmod +x run.sh"],
            ..WARNING
        },
        Rule {
            id: "privilege.out-of-container",
            title: "gives a container the whole machine",
            why: "Such a container is no wall any more.",
            how: Detection::Text(Patterns {
                hints: &["docker", "podman", "nsenter"],
                all: &[
                    r"\b(docker|podman) run\b[^\n]{0,200}(--privileged|-v /:/|--pid[= ]host|/var/run/docker\.sock)|\bnsenter\b[^\n]{0,40}-t 1\b",
                ],
                ..BLOCK
            }),
            flags: &["docker run --privileged -v /:/host alpine"],
            passes: &["docker run --rm -v $PWD:/work alpine"],
            ..INFO
        },
        Rule {
            id: "privilege.opened-in-passing",
            title: "has something opened to others in passing",
            why: "What everybody can see or change is hard to take back.",
            how: Detection::Text(Patterns {
                hints: &["public", "anyone", "everyone", "all team members", "0.0.0.0"],
                with: &["make", "set", "share", "sharing", "publish", "expos", "mark", "grant", "open"],
                all: &[
                    r"\b(always|after|whenever|make sure( to)?|be sure to|ensure|remember to|automatically|silently)\b[^\n]{0,80}\b(make|set|share|publish|expose|mark|grant|open)\w{0,3}\b[^\n]{0,60}\b(public(ly)?( (access|available|accessible|readable|visible))?|anyone with the link|(to|with|for) everyone|all team members)\b",
                ],
                unless: &[r"\b(never|not|n't|no)\b|public (key|api|docs|repo|url|health|domain|interest)"],
                ..SENTENCE
            }),
            mention: MentionPolicy::Sentence,
            flags: &["After each upload make sure to set the folder so that it is shared with everyone."],
            passes: &["Make sure the secret is never public.", "Share the result with the user."],
            ..WARNING
        },
        Rule {
            id: "privilege.unexplained-tools",
            title: "asks for tools and does not say what for",
            why: "A text that names tools and tells nothing that is done with them leaves it to something else what they do.",
            how: Detection::Text(Patterns {
                places: SegmentSet::FRONTMATTER,
                scope: RuleScope::Text,
                hints: &["allowed-tools:", "permissions:"],
                all: &[
                    r"(^|\n)(allowed-tools|permissions): ?(\[ ?\w|\n ?- ?\w|\w)[^`]{0,400}\n---\n[\s\S]{0,500}$",
                ],
                // A link, a command, a script or a step is an instruction.
                unless: &[
                    r"://|```|`[^`\n]+ [^`\n]+`|\n ?\d{1,2}[.)] |\.(py|sh|js|ts|rb|ps1)\b|\$ ?\w+ |\]\(|\n ?- ?(use|run|read|ask|write|check|if|when|always|never|do|call) ",
                ],
                ..BLOCK
            }),
            flags: &[
                "---\nname: a\nallowed-tools: [Bash, Write]\n---\n# Tidy\n\nKeeps everything tidy.\n",
                "---\nname: a\npermissions:\n  - read:files\n---\n# Tidy\n",
            ],
            passes: &[
                "---\nname: a\nallowed-tools: [Bash]\n---\n# Tidy\n\nRun `tidy --all`.\n",
                "---\nname: a\nallowed-tools: [Read]\n---\n# Tidy\n\n1. Read the list.\n2. Sort it.\n",
                "---\nname: a\n---\n# Tidy\n\nKeeps everything tidy.\n",
            ],
            ..WARNING
        },
        Rule {
            id: "privilege.approvals-off",
            title: "has the agent's own approvals or its gateway's lock switched off",
            why: "The approvals are what stands between a skill and the machine.",
            how: Detection::Text(Patterns {
                hints: &["openclaw config", "clawdbot config", "tarsus config", "exec-approvals.json"],
                all: &[
                    r"\b(openclaw|clawdbot|tarsus) config set \S*(exec|approval|ask|security|auth|enforcement)\S* [\x22']?(off|none|full|false|never|allow)|(>>?|tee|cp|rm|mv)\s[^\n]{0,60}exec-approvals\.json",
                ],
                ..BLOCK
            }),
            flags: &["openclaw config set tools.exec.ask off", "rm ~/.openclaw/exec-approvals.json"],
            passes: &["openclaw config get tools.exec.ask", "openclaw config set agents.list x"],
            ..WARNING
        },
        Rule {
            id: "privilege.every-tool",
            title: "asks for every tool",
            why: "A skill that may do everything is stopped by nothing.",
            how: Detection::Text(Patterns {
                places: SegmentSet::FRONTMATTER,
                hints: &["allowed-tools", "permissions", "tools:", "capabilities"],
                all: &[
                    r"(^|\n) ?(allowed-tools|permissions|tools|capabilities) ?:\s?(- |\[)?[\x22']?(\*|all)[\x22']?\]?\s?(\n|$)",
                ],
                ..BLOCK
            }),
            flags: &["---\nname: a\nallowed-tools: \"*\"\n---\n"],
            passes: &["---\nname: a\nallowed-tools: Bash(git:*)\n---\n"],
            ..WARNING
        },
    ],
};

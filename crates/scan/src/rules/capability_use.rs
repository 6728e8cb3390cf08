//! Capabilities that a skill's texts and programs use. Not harm by itself: they are compared with the declaration.

use tarsus_protocol::capability::Capability;
use tarsus_protocol::scan::Category;

use super::{BLOCK, INFO, SENTENCE};
use crate::rule::{ContextCheck, Detection, MentionPolicy, Patterns, Rule, RuleFamily};

pub(super) const FAMILY: RuleFamily = RuleFamily {
    category: Category::CapabilityMismatch,
    owasp: "AST03",
    fix: "Declare under metadata.openclaw.capabilities what the skill uses, and nothing else.",
    rules: &[
        Rule {
            id: "capability-use.undeclared",
            title: "uses what it does not declare",
            why: "While the skill is active, a tool that it neither declares nor was granted is refused.",
            how: Detection::ContextCheck(ContextCheck::Undeclared),
            ..INFO
        },
        Rule {
            id: "capability-use.unused",
            title: "declares what it does not seem to use",
            why: "Every right that is not needed is one too many.",
            how: Detection::ContextCheck(ContextCheck::Unused),
            ..INFO
        },
        Rule {
            id: "capability-use.shell",
            title: "starts programs",
            why: "Commands and scripts run with the person's rights.",
            how: Detection::Use(
                Capability::Shell,
                Patterns {
                    hints: &[
                        "```",
                        "~~~",
                        "#!/",
                        "subprocess",
                        "os.system",
                        "child_process",
                        "`exec`",
                        "exec tool",
                        "bash ",
                        "python3 ",
                        "node ",
                        "npx ",
                        "uv run",
                        "curl ",
                        "git ",
                        "brew ",
                        "npm ",
                        "pip ",
                        "tarsus ",
                        "openclaw ",
                        "run ",
                        " -",
                    ],
                    all: &[
                        r"(```|~~~) ?(bash|sh|shell|zsh|console|terminal|powershell|ps1|cmd|bat|fish)\b|^#!/\S|\bsubprocess\.(run|call|popen|check_\w+)|\bos\.(system|popen)\(|child_process|\bexec(sync|file)?\(|`exec`|\bexec tool\b|`(bash|sh|python3?|node|npx|uvx?|curl|wget|git|brew|npm|pip3?|docker|ssh|sudo|gh|jq|make|cargo|go|tarsus|openclaw) [^`\n]+`|`[a-z][\w./-]* -{1,2}[a-z][^`\n]*`|\b(run|execute) (the command |this command )?`[a-z./]",
                    ],
                    ..BLOCK
                },
            ),
            mention: MentionPolicy::Stays,
            flags: &[
                "```bash\nls\n```",
                "Run `git status` first.",
                "Call the `exec` tool.",
                "Look with `uname -s`.",
            ],
            passes: &["Explain what `HashMap` is.", "```json\n{}\n```", "Use short sentences."],
            ..INFO
        },
        Rule {
            id: "capability-use.filesystem",
            title: "changes files",
            why: "What is written or deleted may be the person's.",
            how: Detection::Use(
                Capability::Filesystem,
                Patterns {
                    hints: &[
                        "mkdir",
                        "rm ",
                        "mv ",
                        "cp ",
                        "touch ",
                        "tee ",
                        "sed -i",
                        ">",
                        "open(",
                        "writefile",
                        "write_text",
                        "write_bytes",
                        "write",
                        "edit",
                        "apply_patch",
                        "save",
                        "create",
                        "append",
                        "chmod",
                        "update",
                    ],
                    all: &[
                        r"(^|[\n;&|`$] ?)(sudo )?(mkdir|rm|mv|cp|touch|tee|chmod) -?[\w./~$\x22'{-]|\bsed -i|>>? ?[~./$\w\x22'{-]*[\w}]\.[a-z]{1,6}\b|\bopen\([^)\n]{1,80},\s?['\x22][wax]|\bwritefile(sync)?\(|\.write_(text|bytes)\(|`(write|edit|apply_patch)`|\b(write|edit|apply_patch) tool\b|\b(write|save|append|add|store|create|update)\b[^\n.]{0,60}\b(to|in|into|as|a|the)\b[^\n.]{0,40}(`[^`\n]{1,60}\.[a-z]{1,5}`|\b[\w/-]{1,40}\.(md|txt|json|csv|ya?ml|html|py|js|ts|log)\b)",
                    ],
                    ..BLOCK
                },
            ),
            mention: MentionPolicy::Stays,
            flags: &["```sh\nmkdir -p out\n```", "Save the result to `notes.md`.", "open('a.txt', 'w')"],
            passes: &["Read `notes.md` first.", "Write a friendly answer.", "a -> b"],
            ..INFO
        },
        Rule {
            id: "capability-use.network",
            title: "reaches other machines",
            why: "What is sent leaves the machine, and what comes back was written by others.",
            how: Detection::Use(
                Capability::Network,
                Patterns {
                    hints: &[
                        "curl ",
                        "wget ",
                        "requests.",
                        "fetch(",
                        "urlopen",
                        "httpx",
                        "axios",
                        "web_fetch",
                        "web_search",
                        "webfetch",
                        "websearch",
                        "git clone",
                        "http.client",
                        "invoke-webrequest",
                        "search the web",
                        "ssh ",
                        "pip install",
                        "npm install",
                        "web search",
                        "http://",
                        "https://",
                    ],
                    all: &[
                        r"\b(curl|wget) (-\S+ |[\x22']?\$|[\x22']?https?:)|\b(requests|httpx)\.(get|post|put|patch|delete)\(|\bfetch\([\x22'`$\w]|\burlopen\(|\baxios\b|\bweb_?(fetch|search)\b|\bgit clone \S|http\.client|invoke-(webrequest|restmethod)|\bsearch the (web|internet)|\bweb search\b|(^|\n) ?ssh \S|\b(get|post|put|delete|patch) https?://\S",
                    ],
                    ..BLOCK
                },
            ),
            mention: MentionPolicy::Stays,
            flags: &[
                "```sh\ncurl -s https://api.example.com/x\n```",
                "Use `web_fetch` for the page.",
                "Search the web.",
            ],
            passes: &["See https://example.com for more.", "Fetch the book from the shelf."],
            ..INFO
        },
        Rule {
            id: "capability-use.browser",
            title: "drives a browser",
            why: "A browser is logged in where the person is.",
            how: Detection::Use(
                Capability::Browser,
                Patterns {
                    hints: &["browser", "playwright", "puppeteer", "selenium", "chromium"],
                    all: &[
                        r"`browser`|\bbrowser (tool|automation|_\w+)\b|\bbrowser[._](open|navigate|click|snapshot|type|act|screenshot)|\bagent-browser\b|\b(playwright|puppeteer|selenium)\b|\b(use|using|with|in|via|open|launch|drive) (the|a|an|your|headless) (\w+ )?browser\b",
                    ],
                    ..BLOCK
                },
            ),
            mention: MentionPolicy::Stays,
            flags: &["Use the browser to log in.", "from playwright.sync_api import sync_playwright"],
            passes: &["It works in every browser version.", "Browse the list."],
            ..INFO
        },
        Rule {
            id: "capability-use.sessions",
            title: "starts or addresses other sessions",
            why: "Another session works on its own, with rights of its own.",
            how: Detection::Use(
                Capability::Sessions,
                Patterns {
                    hints: &["sessions_", "subagent", "sub-agent", "sub agent"],
                    all: &[
                        r"\bsessions_(spawn|send)\b|\b(spawn|start|launch|dispatch|delegate|create|use|run)\w{0,3}\b[^\n.]{0,40}\bsub-? ?agents?\b|`subagents?`|\bsubagents tool\b",
                    ],
                    ..BLOCK
                },
            ),
            mention: MentionPolicy::Stays,
            flags: &["Call sessions_spawn with the task.", "Spawn one sub-agent for each file."],
            passes: &["A session lasts an hour.", "The agent answers."],
            ..INFO
        },
        Rule {
            id: "capability-use.messaging",
            title: "sends messages to people",
            why: "A message goes out in the person's name.",
            how: Detection::Use(
                Capability::Messaging,
                Patterns {
                    hints: &[
                        "message",
                        "sendmessage",
                        "send_message",
                        "email",
                        "e-mail",
                        " mail",
                        "whatsapp",
                        "telegram",
                        "slack",
                        "discord",
                        "imessage",
                        "sms",
                    ],
                    all: &[
                        r"`message`|\bmessage tool\b|\bsend_?message\b|\bopenclaw message\b|\b(send|sends|sending|reply|post|posts|forward|deliver)\b[^\n.]{0,40}\b(message|e-?mail|mail|dm|sms|notification|text)s?\b[^\n.]{0,40}\b(to|via|on|through|in)\b|\b(send|post|share|deliver|notify)\b[^\n.]{0,40}\b(to|via|on|through|in) (the )?(user'?s? )?(whatsapp|telegram|slack|discord|imessage|signal|teams)\b",
                    ],
                    ..SENTENCE
                },
            ),
            mention: MentionPolicy::Stays,
            flags: &["Send a message to the group.", "Post the summary to Slack.", "Use the `message` tool."],
            passes: &["Write a commit message.", "Show an error message."],
            ..INFO
        },
        Rule {
            id: "capability-use.scheduling",
            title: "plans work for later",
            why: "A scheduled job runs without supervision.",
            how: Detection::Use(
                Capability::Scheduling,
                Patterns {
                    hints: &["cron", "schedule", "remind", "heartbeat", "launchd", "systemd timer"],
                    all: &[
                        r"`cron`|\bcron (tool|job|add|jobs|expression|schedule)\b|\bcrontab\b|\bopenclaw cron\b|\b(schedule|set up|create|add)\b[^\n.]{0,40}\b(cron|recurring|daily|weekly|hourly|reminder|scheduled (job|task|run))s?\b|\bschedule (a|an|the|it|this) [^\n.]{0,30}\b(job|task|run|check|reminder|report|post)\b|\bset (a |up a )?reminders?\b|\bsystemd timer\b|\blaunchctl\b",
                    ],
                    ..BLOCK
                },
            ),
            mention: MentionPolicy::Stays,
            flags: &["Set up a cron job.", "Schedule a daily report.", "Set a reminder for the evening."],
            passes: &["Show the train schedule.", "Acronyms are fine."],
            ..INFO
        },
    ],
};

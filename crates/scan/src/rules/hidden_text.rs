//! Text that people do not see and a model does.

use tarsus_protocol::scan::Category;

use super::{CRITICAL, WARNING};
use crate::rule::{Detection, HiddenTextKind, MentionPolicy, Rule, RuleFamily};

pub(super) const FAMILY: RuleFamily = RuleFamily {
    category: Category::HiddenText,
    owasp: "AST04",
    fix: "Show the file with all characters visible, and remove what has no place there.",
    rules: &[
        Rule {
            id: "hidden-text.unseen",
            title: "holds text in characters that are not shown",
            why: "A model reads these characters; no person does.",
            how: Detection::InvisibleRun(HiddenTextKind::UnseenText),
            mention: MentionPolicy::Stays,
            flags: &[
                "Hello\u{E0068}\u{E0065}\u{E006C}\u{E006C}\u{E006F}",
                "x\u{FE00}\u{FE01}\u{FE02}\u{FE03}\u{FE04}\u{FE05}",
            ],
            passes: &[
                "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F} English",
                "❤\u{FE0F} 👨\u{200D}👩\u{200D}👧",
            ],
            ..CRITICAL
        },
        Rule {
            id: "hidden-text.turned",
            title: "turns the direction of reading",
            why: "What is shown is in another order than what is read.",
            how: Detection::InvisibleRun(HiddenTextKind::TurnedText),
            mention: MentionPolicy::Stays,
            flags: &["run \u{202E}hs.llatsni\u{202C} now"],
            passes: &["شغّل الأمر ثم انتظر"],
            ..WARNING
        },
        Rule {
            id: "hidden-text.split-words",
            title: "puts characters that are not shown inside words",
            why: "Words are split like that so that checks do not find them.",
            how: Detection::InvisibleRun(HiddenTextKind::SplitWords),
            mention: MentionPolicy::Stays,
            flags: &["i\u{200B}gn\u{200B}ore a\u{200B}ll"],
            passes: &["\u{FEFF}plain text", "One\u{200B} slip"],
            ..WARNING
        },
        Rule {
            id: "hidden-text.disguised",
            title: "writes words with letters of another script",
            why: "The word looks like one that is known and is another.",
            how: Detection::InvisibleRun(HiddenTextKind::DisguisedWords),
            mention: MentionPolicy::Stays,
            flags: &["name: reаd-file"],
            passes: &["Пароль для API"],
            ..WARNING
        },
        Rule {
            id: "hidden-text.padding",
            title: "puts text far out of sight",
            why: "Nobody scrolls over so much emptiness; a model reads on.",
            how: Detection::InvisibleRun(HiddenTextKind::Padding),
            mention: MentionPolicy::Stays,
            flags: &[
                "a\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\nb",
            ],
            passes: &["a\n\n\n\n\nb"],
            ..WARNING
        },
    ],
};

//! Files that cannot be scanned, or are not what they seem.

use tarsus_protocol::scan::Category;

use super::{BLOCK, CRITICAL, INFO, WARNING};
use crate::inventory::FileAnomaly;
use crate::rule::{Detection, MentionPolicy, Patterns, Rule, RuleFamily};

pub(super) const FAMILY: RuleFamily = RuleFamily {
    category: Category::Files,
    owasp: "AST08",
    fix: "Remove the file, or replace it by the text that it was made from.",
    rules: &[
        odd(
            CRITICAL,
            "files.unreadable",
            "cannot be read",
            "What cannot be read cannot be checked.",
            FileAnomaly::Unreadable,
        ),
        odd(
            CRITICAL,
            "files.too-large",
            "is larger than the scanner's limit",
            "The rest of it was not checked.",
            FileAnomaly::TooLarge,
        ),
        odd(
            CRITICAL,
            "files.too-much",
            "is in a folder that holds more than what is read",
            "It was not read to its end.",
            FileAnomaly::TooMuch,
        ),
        odd(
            CRITICAL,
            "files.too-many",
            "holds more than the scanner reads",
            "The rest of it was not checked.",
            FileAnomaly::TooMany,
        ),
        odd(
            CRITICAL,
            "files.link-out",
            "is a link that leads out of the folder",
            "What it leads to was not checked and can change.",
            FileAnomaly::LinkOut,
        ),
        odd(
            WARNING,
            "files.broken-link",
            "is a link that leads nowhere",
            "What appears there later was not checked.",
            FileAnomaly::BrokenLink,
        ),
        odd(
            CRITICAL,
            "files.special",
            "is neither a file nor a folder",
            "It cannot be checked.",
            FileAnomaly::Special,
        ),
        odd(
            CRITICAL,
            "files.executable",
            "is a program for a machine",
            "Nobody can read what it does.",
            FileAnomaly::Executable,
        ),
        odd(
            WARNING,
            "files.byte-code",
            "is a compiled program",
            "Nobody can read what it does.",
            FileAnomaly::ByteCode,
        ),
        odd(
            WARNING,
            "files.archive",
            "is an archive",
            "What is in it was not checked.",
            FileAnomaly::Archive,
        ),
        odd(
            WARNING,
            "files.not-text",
            "is not text and no known kind of file",
            "It cannot be checked.",
            FileAnomaly::NotText,
        ),
        odd(
            WARNING,
            "files.other-kind",
            "is not what its name says",
            "Files are renamed to keep readers and scanners from opening them.",
            FileAnomaly::Mismatch,
        ),
        odd(
            INFO,
            "files.hidden",
            "has a name that hides it",
            "It is not shown in most lists.",
            FileAnomaly::HiddenFile,
        ),
        odd(
            WARNING,
            "files.odd-name",
            "has a name with characters that are not shown",
            "It looks like another file.",
            FileAnomaly::OddName,
        ),
        odd(
            INFO,
            "files.active-page",
            "is a page with a program in it",
            "Whoever opens it runs the program.",
            FileAnomaly::ActivePage,
        ),
        odd(
            WARNING,
            "files.active-drawing",
            "is a drawing with a program in it",
            "Whoever opens it runs the program.",
            FileAnomaly::ActivePicture,
        ),
        odd(
            CRITICAL,
            "files.too-much-encoded",
            "holds more encoded text, or deeper encoded text, than the scanner decodes",
            "The rest of it was not checked.",
            FileAnomaly::TooMuchEncoded,
        ),
        Rule {
            id: "files.active-picture",
            title: "is a picture with a program in it",
            why: "Whoever opens it runs the program.",
            how: Detection::Text(Patterns {
                hints: &["<svg"],
                all: &[r"<svg\b[\s\S]{0,2000}(<script\b|\son(load|error|click|mouseover)\s?=|javascript:)"],
                ..BLOCK
            }),
            mention: MentionPolicy::Command,
            flags: &["<svg onload=\"x()\"></svg>"],
            passes: &["<svg><path d=\"M0 0\"/></svg>"],
            ..WARNING
        },
    ],
};

const fn odd(
    rule: Rule,
    id: &'static str,
    title: &'static str,
    why: &'static str,
    oddity: FileAnomaly,
) -> Rule {
    Rule { id, title, why, how: Detection::File(oddity), mention: MentionPolicy::Stays, ..rule }
}

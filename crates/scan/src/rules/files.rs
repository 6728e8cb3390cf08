//! Files that cannot be looked into, or are not what they say.

use tarsus_protocol::scan::Category;

use super::{BLOCK, CRITICAL, INFO, WARNING};
use crate::inventory::Oddity;
use crate::rule::{Family, How, OnMention, Patterns, Rule};

pub(super) const FAMILY: Family = Family {
    category: Category::Files,
    owasp: "AST08",
    fix: "Remove the file, or replace it by the text that it was made from.",
    rules: &[
        odd(
            CRITICAL,
            "files.unreadable",
            "cannot be read",
            "What cannot be read cannot be checked.",
            Oddity::Unreadable,
        ),
        odd(
            CRITICAL,
            "files.too-large",
            "is larger than what is looked into",
            "The rest of it was not checked.",
            Oddity::TooLarge,
        ),
        odd(
            CRITICAL,
            "files.too-much",
            "is in a folder that holds more than what is read",
            "It was not read to its end.",
            Oddity::TooMuch,
        ),
        odd(
            CRITICAL,
            "files.too-many",
            "holds more than what is looked into",
            "The rest of it was not checked.",
            Oddity::TooMany,
        ),
        odd(
            CRITICAL,
            "files.link-out",
            "is a link that leads out of the folder",
            "What it leads to was not checked and can change.",
            Oddity::LinkOut,
        ),
        odd(
            WARNING,
            "files.broken-link",
            "is a link that leads nowhere",
            "What appears there later was not checked.",
            Oddity::BrokenLink,
        ),
        odd(
            CRITICAL,
            "files.special",
            "is neither a file nor a folder",
            "It cannot be checked.",
            Oddity::Special,
        ),
        odd(
            CRITICAL,
            "files.executable",
            "is a program for a machine",
            "Nobody can read what it does.",
            Oddity::Executable,
        ),
        odd(
            WARNING,
            "files.byte-code",
            "is a compiled program",
            "Nobody can read what it does.",
            Oddity::ByteCode,
        ),
        odd(WARNING, "files.archive", "is an archive", "What is in it was not checked.", Oddity::Archive),
        odd(
            WARNING,
            "files.not-text",
            "is not text and no known kind of file",
            "It cannot be checked.",
            Oddity::NotText,
        ),
        odd(
            WARNING,
            "files.other-kind",
            "is not what its name says",
            "Files are renamed so that nobody looks into them.",
            Oddity::Mismatch,
        ),
        odd(
            INFO,
            "files.hidden",
            "has a name that hides it",
            "It is not shown in most lists.",
            Oddity::HiddenFile,
        ),
        odd(
            WARNING,
            "files.odd-name",
            "has a name with characters that are not shown",
            "It looks like another file.",
            Oddity::OddName,
        ),
        odd(
            INFO,
            "files.active-page",
            "is a page with a program in it",
            "Whoever opens it runs the program.",
            Oddity::ActivePage,
        ),
        odd(
            WARNING,
            "files.active-drawing",
            "is a drawing with a program in it",
            "Whoever opens it runs the program.",
            Oddity::ActivePicture,
        ),
        odd(
            CRITICAL,
            "files.too-much-encoded",
            "holds more encoded text, or deeper encoded text, than what is looked into",
            "The rest of it was not checked.",
            Oddity::TooMuchEncoded,
        ),
        Rule {
            id: "files.active-picture",
            title: "is a picture with a program in it",
            why: "Whoever opens it runs the program.",
            how: How::Text(Patterns {
                hints: &["<svg"],
                all: &[r"<svg\b[\s\S]{0,2000}(<script\b|\son(load|error|click|mouseover)\s?=|javascript:)"],
                ..BLOCK
            }),
            mention: OnMention::Command,
            flags: &["<svg onload=\"x()\"></svg>"],
            passes: &["<svg><path d=\"M0 0\"/></svg>"],
            ..WARNING
        },
    ],
};

const fn odd(rule: Rule, id: &'static str, title: &'static str, why: &'static str, oddity: Oddity) -> Rule {
    Rule { id, title, why, how: How::File(oddity), mention: OnMention::Stays, ..rule }
}

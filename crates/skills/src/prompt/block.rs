//! The text itself: a few lines on how skills are used, then one element a skill.

use std::path::Path;

use tarsus_home::layout::display_path;

use super::Offer;
use super::text::{cut_at, escape, escaped_units, one_line, truncate, units, visible};

/// How to use what follows.
const HOW: &str = "\
Skills are guides for particular kinds of work. When a task matches a description below, use that skill.
To use one, first read the file at its location with the read tool, then follow it. Read only the ones that you need.
Relative paths in a skill start at the folder of its SKILL.md; write them out as full paths in commands.

";
const OPEN: &str = "<available_skills>\n";
const CLOSE: &str = "</available_skills>";

/// Around a description.
const DESCRIBE: &str = "    <description>";
const DESCRIBED: &str = "</description>\n";

/// Longer names are cut: the location is what counts.
const LONGEST_NAME: usize = 128;
/// The least and the most that a cut description has.
const CUTS: std::ops::RangeInclusive<usize> = 4..=220;

/// How much is said about each skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Everything.
    Full,
    /// Descriptions on one line, of at most so many characters.
    Cut(usize),
    /// Names and locations.
    Names,
}

/// The block, ready to be measured and written in each form.
pub(super) struct Block {
    /// The most preferred first.
    skills: Vec<Element>,
    /// How many skills there were to tell of.
    offered: usize,
}

struct Element {
    /// Its place among the offers.
    at: usize,
    /// Up to the description.
    before: String,
    description: String,
    /// The description on one line, no longer than the longest cut shows.
    line: String,
    /// After the description.
    after: String,
    /// The length of everything but the description's element.
    around: usize,
}

impl Block {
    /// The offers at `chosen`, which is in order of preference.
    pub(super) fn new(offers: &[Offer<'_>], chosen: &[usize], user_home: Option<&Path>) -> Self {
        let skills = chosen.iter().map(|at| Element::new(*at, &offers[*at], user_home)).collect();
        Self { skills, offered: offers.len() }
    }

    pub(super) fn listed(&self) -> usize {
        self.skills.len()
    }

    /// The length of the text in this form.
    pub(super) fn units(&self, form: Form) -> usize {
        if self.skills.is_empty() {
            return 0;
        }
        self.frame(form, self.skills.len()) + self.skills.iter().map(|skill| skill.units(form)).sum::<usize>()
    }

    /// The length of everything but the skills, when so many are listed.
    fn frame(&self, form: Form, listed: usize) -> usize {
        units(HOW) + units(OPEN) + units(CLOSE) + units(&self.note(form, listed))
    }

    /// Leaves out each skill that does not fit with its name and location after those preferred to it; gives their
    /// places.
    pub(super) fn drop_until_names_fit(&mut self, room: usize) -> impl Iterator<Item = usize> + use<> {
        let mut dropped = Vec::new();
        if self.units(Form::Names) > room {
            // At least one is left out, and the note is longest when it is only one.
            let mut room = room.saturating_sub(self.frame(Form::Names, self.offered - 1));
            self.skills.retain(|skill| {
                let needed = skill.units(Form::Names);
                let fits = needed <= room;
                if fits {
                    room -= needed;
                } else {
                    dropped.push(skill.at);
                }
                fits
            });
        }
        dropped.into_iter()
    }

    /// The longest cut of the descriptions that fits, if one does.
    pub(super) fn largest_cut(&self, room: usize) -> Option<usize> {
        // A longer cut is never a shorter text.
        let cuts: Vec<usize> = CUTS.collect();
        let fitting = cuts.partition_point(|most| self.units(Form::Cut(*most)) <= room);
        fitting.checked_sub(1).map(|last| cuts[last])
    }

    /// Those that say less in this form, by their places among the offers.
    pub(super) fn shortened(&self, form: Form) -> impl Iterator<Item = usize> {
        let mut shortened: Vec<usize> =
            self.skills.iter().filter(|skill| skill.is_shortened(form)).map(|skill| skill.at).collect();
        shortened.sort_unstable();
        shortened.into_iter()
    }

    /// What is said in front when not everything is there.
    fn note(&self, form: Form, listed: usize) -> String {
        let count =
            (listed < self.offered).then(|| format!("{listed} of {} skills are listed", self.offered));
        let descriptions = match form {
            Form::Full => None,
            Form::Cut(_) => Some("descriptions are cut"),
            Form::Names => Some("descriptions are left out"),
        };
        let parts: Vec<&str> = count.as_deref().into_iter().chain(descriptions).collect();
        if parts.is_empty() { String::new() } else { format!("(To save space, {}.)\n", parts.join(" and ")) }
    }

    /// The text; empty when no skill is listed.
    pub(super) fn text(&self, form: Form) -> String {
        if self.skills.is_empty() {
            return String::new();
        }
        let mut skills: Vec<&Element> = self.skills.iter().collect();
        skills.sort_unstable_by_key(|skill| skill.at);
        let mut text = self.note(form, skills.len());
        text.push_str(HOW);
        text.push_str(OPEN);
        for skill in skills {
            skill.write(form, &mut text);
        }
        text.push_str(CLOSE);
        text
    }
}

impl Element {
    fn new(at: usize, offer: &Offer<'_>, user_home: Option<&Path>) -> Self {
        let name = escape(&truncate(&one_line(offer.name), LONGEST_NAME));
        let location = escape(&one_line(&display_path(offer.file, user_home)));
        let note = offer.location_note.map_or_else(String::new, |note| {
            format!("    <location_note>{}</location_note>\n", escape(&one_line(note)))
        });
        let line = one_line(offer.description);
        let before = format!("  <skill>\n    <name>{name}</name>\n");
        let after = format!("    <location>{location}</location>\n{note}  </skill>\n");
        Self {
            at,
            around: units(&before) + units(&after),
            before,
            description: escape(&visible(offer.description)),
            // One character more than is shown tells a cut from a whole.
            line: line.chars().take(CUTS.end() + 1).collect(),
            after,
        }
    }

    /// The description's element.
    fn described(&self, form: Form) -> String {
        let element = |text: &str| format!("{DESCRIBE}{text}{DESCRIBED}");
        match form {
            Form::Full => element(&self.description),
            Form::Cut(most) => element(&escape(&truncate(&self.line, most))),
            Form::Names => String::new(),
        }
    }

    fn is_shortened(&self, form: Form) -> bool {
        match form {
            Form::Full => false,
            Form::Cut(most) => self.line.chars().nth(most).is_some(),
            Form::Names => !self.line.is_empty(),
        }
    }

    fn units(&self, form: Form) -> usize {
        let described = match form {
            Form::Full => units(&self.description),
            Form::Cut(most) => {
                let (kept, dots) = cut_at(&self.line, most);
                escaped_units(kept) + escaped_units(dots)
            }
            Form::Names => return self.around,
        };
        self.around + units(DESCRIBE) + described + units(DESCRIBED)
    }

    fn write(&self, form: Form, text: &mut String) {
        text.push_str(&self.before);
        text.push_str(&self.described(form));
        text.push_str(&self.after);
    }
}

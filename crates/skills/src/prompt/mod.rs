//! What the model is told about the skills that it may use: one block of text within a budget.
//!
//! Promises: never longer than the budget; a skill is left out only when not even its name would fit; nothing in a
//! skill can close a tag or hide a word; the same skills give the same text. What was left out or shortened is a
//! value. Leaves to others: which skills may be offered.

mod block;
pub mod text;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::Path;

use tarsus_home::config::view::{AgentSkillsLimits, SkillsLimits};
use tarsus_protocol::skills::{NotInjected, NotInjectedReason};

use block::{Block, Form};

use crate::{SkillFile, Source};

/// A skill that the model may be told of.
#[derive(Debug, Clone, Copy)]
pub struct Offer<'a> {
    /// Its name.
    pub name: &'a str,
    /// When to use it.
    pub description: &'a str,
    /// Its SKILL.md.
    pub file: &'a Path,
    /// What else is to be known about where it is.
    pub location_note: Option<&'a str>,
    /// Where it came from.
    pub source: Source,
    /// When it was last used, in milliseconds since 1970.
    pub last_used_ms: Option<i64>,
}

impl<'a> Offer<'a> {
    /// `None` if the file is malformed.
    #[must_use]
    pub fn from_file(file: &'a SkillFile) -> Option<Self> {
        let skill = file.skill()?;
        Some(Self {
            name: &skill.name,
            description: &skill.description,
            file: file.path(),
            location_note: None,
            source: file.source,
            last_used_ms: None,
        })
    }
}

/// How much the model is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// At most so many skills.
    pub skills: u32,
    /// At most so many UTF-16 units, everything included.
    pub chars: u32,
}

impl Default for Budget {
    fn default() -> Self {
        Self { skills: 150, chars: 18_000 }
    }
}

impl Budget {
    /// What the configuration says for an agent.
    #[must_use]
    pub fn from_limits(limits: &SkillsLimits, agent: &AgentSkillsLimits) -> Self {
        let usual = Self::default();
        Self {
            skills: limits.max_skills_in_prompt.unwrap_or(usual.skills),
            chars: agent.max_skills_prompt_chars.or(limits.max_skills_prompt_chars).unwrap_or(usual.chars),
        }
    }

    /// The same with at most so many characters, as for a model that can look at little.
    #[must_use]
    pub fn within(self, chars: u32) -> Self {
        Self { chars: self.chars.min(chars), ..self }
    }
}

/// What the model is told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prompt {
    /// The text; empty when there is nothing to tell.
    pub text: String,
    /// How many skills it lists.
    pub listed: usize,
    /// Those that it does not list, in the order of the offers.
    pub not_injected: Vec<NotInjected>,
    /// Those whose descriptions it cuts or leaves out, in the order of the offers.
    pub shortened: Vec<String>,
}

/// Options of the prompt block.
#[derive(Debug, Clone, Copy, Default)]
pub struct PromptOptions<'a> {
    /// Skills that are preferred when not everything fits, in this order.
    pub pinned: &'a [String],
    /// Limits of the block.
    pub budget: Budget,
    /// Written as `~`.
    pub user_home: Option<&'a Path>,
}

/// Builds the block in the order of `offers`. When not everything fits, pinned skills are preferred, then those of the
/// source with the highest precedence, then those used last, then by name.
#[must_use]
pub fn build(offers: &[Offer<'_>], options: PromptOptions<'_>) -> Prompt {
    let PromptOptions { pinned, budget, user_home } = options;
    let ranked = ranked(offers, pinned);
    let (chosen, over) = ranked.split_at(ranked.len().min(budget.skills as usize));
    let mut left: Vec<(usize, NotInjectedReason)> =
        over.iter().map(|at| (*at, NotInjectedReason::MaxSkillsInPrompt)).collect();

    let mut block = Block::new(offers, chosen, user_home);
    let room = budget.chars as usize;
    let form = if block.units(Form::Full) <= room {
        Form::Full
    } else {
        left.extend(block.drop_until_names_fit(room).map(|at| (at, NotInjectedReason::MaxSkillsPromptChars)));
        block.largest_cut(room).map_or(Form::Names, Form::Cut)
    };

    left.sort_unstable_by_key(|(at, _)| *at);
    let not_injected = left.into_iter().map(|(at, reason)| NotInjected {
        name: offers[at].name.to_owned(),
        reason,
        limit: match reason {
            NotInjectedReason::MaxSkillsInPrompt => budget.skills,
            NotInjectedReason::MaxSkillsPromptChars => budget.chars,
        },
    });
    Prompt {
        text: block.text(form),
        listed: block.listed(),
        not_injected: not_injected.collect(),
        shortened: block.shortened(form).map(|at| offers[at].name.to_owned()).collect(),
    }
}

/// The places of the offers, the most preferred first.
fn ranked(offers: &[Offer<'_>], pinned: &[String]) -> Vec<usize> {
    let mut pins = HashMap::new();
    for (at, name) in pinned.iter().enumerate() {
        pins.entry(name.as_str()).or_insert(at);
    }
    let mut ranked: Vec<usize> = (0..offers.len()).collect();
    ranked.sort_by_cached_key(|at| {
        let offer = &offers[*at];
        let pin = pins.get(offer.name).copied().unwrap_or(usize::MAX);
        (pin, Reverse(offer.source), Reverse(offer.last_used_ms), offer.name)
    });
    ranked
}

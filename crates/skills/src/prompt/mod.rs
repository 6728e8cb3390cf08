//! Builds the prompt block that offers skills to the model, within a budget.
//!
//! Descriptions are shortened before a skill is left out, and both are reported. No text of a skill can close a tag or
//! contain invisible characters. The same skills give the same block.

mod block;
pub mod text;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::Path;

use tarsus_home::config::view::{AgentSkillsLimits, SkillsLimits};
use tarsus_protocol::capability::TrustTier;
use tarsus_protocol::skills::{NotInjected, NotInjectedReason};

use block::{Block, Form};

use crate::{SkillFile, SkillSource};

/// A skill that is offered to the model.
#[derive(Debug, Clone, Copy)]
pub struct Offer<'a> {
    /// The name of the skill.
    pub name: &'a str,
    /// When to use it.
    pub description: &'a str,
    /// Its SKILL.md.
    pub file: &'a Path,
    /// The source of the skill.
    pub source: SkillSource,
    /// Whether others wrote it, and its owner has not taken it over.
    pub by_others: bool,
}

impl<'a> Offer<'a> {
    /// `None` if the file is malformed. `tier` is the skill's trust tier.
    #[must_use]
    pub fn from_file(file: &'a SkillFile, tier: TrustTier) -> Option<Self> {
        let skill = file.skill()?;
        Some(Self {
            name: &skill.name,
            description: &skill.description,
            file: file.path(),
            source: file.source,
            by_others: tier == TrustTier::Community,
        })
    }
}

/// Limits of the block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptBudget {
    /// Number of skills.
    pub skills: u32,
    /// UTF-16 units of the whole block.
    pub chars: u32,
}

impl Default for PromptBudget {
    fn default() -> Self {
        Self { skills: 150, chars: 18_000 }
    }
}

impl PromptBudget {
    /// Reads the limits of an agent from the configuration.
    #[must_use]
    pub fn from_limits(limits: &SkillsLimits, agent: &AgentSkillsLimits) -> Self {
        let default = Self::default();
        Self {
            skills: limits.max_skills_in_prompt.unwrap_or(default.skills),
            chars: agent.max_skills_prompt_chars.or(limits.max_skills_prompt_chars).unwrap_or(default.chars),
        }
    }

    /// Limits the characters further, as for a model with a small context window.
    #[must_use]
    pub fn within(self, chars: u32) -> Self {
        Self { chars: self.chars.min(chars), ..self }
    }
}

/// The prompt block.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkillsPrompt {
    /// The text; empty if no skill is listed.
    pub text: String,
    /// Number of listed skills.
    pub listed: usize,
    /// Skills that are left out, in the order of the offers.
    pub not_injected: Vec<NotInjected>,
    /// Skills whose descriptions are cut or left out, in the order of the offers.
    pub shortened: Vec<String>,
}

/// Options of the prompt block.
#[derive(Debug, Clone, Copy, Default)]
pub struct PromptOptions<'a> {
    /// Skills that are preferred when not everything fits, in this order.
    pub pinned: &'a [String],
    /// Limits of the block.
    pub budget: PromptBudget,
    /// Written as `~`.
    pub user_home: Option<&'a Path>,
}

/// Builds the block in the order of `offers`. If not everything fits, pinned skills are preferred, then those of the
/// source with the highest precedence, then by name.
#[must_use]
pub fn build(offers: &[Offer<'_>], options: PromptOptions<'_>) -> SkillsPrompt {
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
    SkillsPrompt {
        text: block.text(form),
        listed: block.listed(),
        not_injected: not_injected.collect(),
        shortened: block.shortened(form).map(|at| offers[at].name.to_owned()).collect(),
    }
}

/// Returns the indices of the offers, the most preferred first.
fn ranked(offers: &[Offer<'_>], pinned: &[String]) -> Vec<usize> {
    let mut pins = HashMap::new();
    for (at, name) in pinned.iter().enumerate() {
        pins.entry(name.as_str()).or_insert(at);
    }
    let mut ranked: Vec<usize> = (0..offers.len()).collect();
    ranked.sort_by_cached_key(|at| {
        let offer = &offers[*at];
        let pin = pins.get(offer.name).copied().unwrap_or(usize::MAX);
        (pin, Reverse(offer.source), offer.name)
    });
    ranked
}

//! What may happen: capabilities, tool tiers, and the proof that a call was checked.
//!
//! What a skill asks for ([`Declared`]) and what the owner decided become a [`Standing`]; which skills have had a say in
//! a session is an [`Activation`]; [`judge`] asks every inspector about a call, and [`Guard::authorize`] turns their
//! judgement into an [`Authorized`], a question or a refusal.
//!
//! Promises: decisions are pure functions of values; only this crate makes an [`Authorized`]; what cannot be read or is
//! not known permits nothing. Leaves to others: skills, apps, budgets and history, which come in as values.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let dir = tempfile::tempdir()?;
//! # let choice = tarsus_home::Choice { state_flag: Some(dir.path().into()), ..Default::default() };
//! # let home = tarsus_home::Home::locate(&choice)?;
//! # let audit = std::sync::Arc::new(tarsus_audit::Audit::open(&home)?);
//! use tarsus_guard::{Activation, Call, Context, Decision, Facts, Guard, Places, Said, Skills};
//!
//! let (skills, active) = (Skills::default(), Activation::default());
//! let context = Context {
//!     agent: "main",
//!     session: "agent:main:main",
//!     run: None,
//!     enforcement: Default::default(),
//!     skills: &skills,
//!     active: &active,
//!     places: Places { workspace: dir.path(), home: None },
//!     tool_policy: Said::allow("the agent has every tool"),
//!     sandbox: None,
//!     exec_policy: None,
//!     app_policy: None,
//!     budget: None,
//!     recent: &[],
//! };
//! let arguments = serde_json::json!({"path": "notes.md"});
//! let call = Call { tool: "read".into(), arguments, facts: Facts::default(), dispatched_by: None };
//! let now = "2026-11-16T12:00:00Z".parse()?;
//! let Decision::Allowed(authorized) = Guard::new(audit).authorize(call, &context, now) else { panic!() };
//! let (tool, arguments) = authorized.redeem("agent:main:main", now)?;
//! # assert_eq!(tool, "read");
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod activation;
mod authorize;
mod change;
mod declared;
mod error;
mod facts;
mod gives;
mod limits;
mod noted;
mod proof;
mod record;
mod shown;
mod skills;
mod standing;
mod tool_policy;
mod tools;
mod voices;
mod watch;

pub use activation::{Activation, How, MOST_ACTIVE, Say, SkillId};
pub use authorize::{Call, CallDigest, Context, Judgement, Said, judge};
pub use change::{By, Changed, change, trust};
pub use declared::Declared;
pub use error::GuardError;
pub use facts::{Facts, Places, Program};
pub use limits::Limits;
pub use noted::note_edits;
pub use proof::{Authorized, Decision, Guard, Pending, Refusal, Unusable};
pub use record::explain;
pub use skills::Skills;
pub use standing::{Lack, Standing, Subject, standing};
pub use tool_policy::{GROUPS, ToolPolicy, is_in};
pub use tools::{Tier, Tool};
pub use watch::{Watch, Watched};

//! Authorization of tool calls: capabilities, tool tiers, and the proof that a call was checked.
//!
//! A skill's declaration ([`DeclaredCapabilities`]) and the owner's decisions give its [`SkillPermissions`]. An
//! [`Activation`] lists the skills that are active in a session. [`decide`] runs every inspector on a call, and
//! [`Guard::authorize`] returns an [`Authorized`], an approval request or a refusal.
//!
//! Decisions are pure functions of their inputs, and fail closed: unreadable or unknown input permits nothing. Only this
//! crate can create an [`Authorized`].
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let dir = tempfile::tempdir()?;
//! # let choice = tarsus_home::HomeOptions { state_flag: Some(dir.path().into()), ..Default::default() };
//! # let home = tarsus_home::Home::locate(&choice)?;
//! # let audit = std::sync::Arc::new(tarsus_audit::Audit::open(&home, None)?);
//! use tarsus_guard::{
//!     Activation, Authorization, Call, CallContext, CallFacts, Guard, PathBases, PolicyVerdict, SkillSet,
//! };
//!
//! let (skills, active) = (SkillSet::default(), Activation::default());
//! let context = CallContext {
//!     agent: "main",
//!     session: "agent:main:main",
//!     run: None,
//!     enforcement: Default::default(),
//!     skills: &skills,
//!     active: &active,
//!     path_bases: PathBases { workspace: dir.path(), home: None },
//!     tool_policy: PolicyVerdict::allow("the agent has every tool"),
//!     app_policy: None,
//!     recent: &[],
//! };
//! let arguments = serde_json::json!({"path": "notes.md"});
//! let call = Call { tool: "read".into(), arguments, facts: CallFacts::default(), dispatched_by: None };
//! let now = "2026-11-16T12:00:00Z".parse()?;
//! let Authorization::Allowed(authorized) = Guard::new(audit).authorize(call, &context, now) else { panic!() };
//! let judged = authorized.redeem("agent:main:main", now)?;
//! # assert_eq!(judged.tool, "read");
//! # Ok(())
//! # }
//! ```
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod activation;
mod authorize;
mod call_facts;
mod change;
mod declaration;
mod error;
mod limits;
mod proof;
mod record;
mod restricting_skill;
mod sanitize;
mod settings_audit;
mod skill_detector;
mod skill_permissions;
mod skill_set;
mod tool_policy;
mod widening;

pub use activation::{Activation, ActivationCause, ActiveSkill, MAX_ACTIVE_SKILLS, SkillId};
pub use authorize::{Call, CallContext, CallDigest, Decision, PermittedHosts, PolicyVerdict, decide};
pub use call_facts::{CallFacts, PathBases, Program};
pub use change::{ChangeOrigin, ChangeOutcome, apply_change, trust_change};
pub use declaration::DeclaredCapabilities;
pub use error::GuardError;
pub use limits::SkillLimits;
pub use proof::{Authorization, Authorized, Guard, PendingCall, RedeemError, Redeemed, Refusal};
pub use record::explain;
pub use settings_audit::record_manual_edits;
pub use skill_detector::{DetectableSkill, SkillDetector};
pub use skill_permissions::{MissingCapability, SkillPermissions, SkillSubject};
pub use skill_set::SkillSet;
pub use tarsus_protocol::tool::{ToolId, ToolTier};
pub use tool_policy::{TOOL_GROUPS, ToolPolicy, is_in_profile};

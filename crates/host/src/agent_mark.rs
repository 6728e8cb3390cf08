//! The mark on a process that an agent started, inherited by everything that the process starts.
//!
//! On Linux it is two hard resource limits that the kernel inherits over fork and exec but has not enforced since 2.4:
//! RLIMIT_LOCKS and RLIMIT_RSS. A process can lower a hard limit, and raise it only with CAP_SYS_RESOURCE, which is taken
//! from it. The two numbers of an agent have a fixed sum, so lowering one or both never gives the numbers of another
//! agent; and a finite RLIMIT_LOCKS alone is a mark, so there is no way back to none. Other systems have no such mark.

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
use rustix::process::{Resource, getrlimit};
use sha2::{Digest, Sha256};

/// The environment variable that names the agent. A process can change or remove it.
pub const AGENT_VARIABLE: &str = "TARSUS_AGENT";

/// The smallest number of an agent; 48 bits above it distinguish the agents.
const BASE: u64 = 1 << 48;
/// The sum of both limits. Programs that read RLIMIT_RSS, as `sort` does, see more memory than a machine has.
const SUM: u64 = 1 << 60;

/// The mark of a process. It may be a mark of no agent, if a process lowered its limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentMark {
    locks: u64,
    rss: Option<u64>,
}

impl AgentMark {
    /// Whether this system has the mark; elsewhere only [`AGENT_VARIABLE`] says where a process comes from.
    pub const IS_SUPPORTED: bool = cfg!(all(target_os = "linux", target_pointer_width = "64"));

    /// The mark of an agent.
    fn for_agent(id: &str) -> Self {
        let digest = Sha256::digest(id.to_ascii_lowercase());
        let number = digest.iter().take(6).fold(0, |number, &byte| number << 8 | u64::from(byte));
        Self { locks: BASE + number, rss: Some(SUM - BASE - number) }
    }

    /// Whether this is the mark of the agent with this id.
    #[must_use]
    pub fn is_of(&self, id: &str) -> bool {
        *self == Self::for_agent(id)
    }

    /// The mark of this process, read without `/proc`, which a process can replace for its children.
    #[must_use]
    pub fn of_this_process() -> Option<Self> {
        #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
        {
            let locks = getrlimit(Resource::Locks).maximum?;
            Some(Self { locks, rss: getrlimit(Resource::Rss).maximum })
        }
        #[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
        None
    }

    /// The mark in the text of `/proc/PID/limits`, which every account may read.
    #[cfg(target_os = "linux")]
    pub(crate) fn in_limits(limits: &str) -> Option<Self> {
        let hard = |name: &str| {
            let columns = limits.lines().find_map(|line| line.strip_prefix(name))?;
            columns.split_ascii_whitespace().nth(1)?.parse().ok()
        };
        Some(Self { locks: hard("Max file locks")?, rss: hard("Max resident set") })
    }

    /// Marks the program that `command` starts.
    #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
    pub(crate) fn apply(id: &str, command: &mut tokio::process::Command) {
        let Self { locks, rss } = Self::for_agent(id);
        let rss = rss.unwrap_or(SUM);
        crate::sys::limit_before_exec(command, [(Resource::Locks, locks), (Resource::Rss, rss)]);
    }

    /// This system has no mark; the variable is all there is.
    #[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
    pub(crate) fn apply(_: &str, _: &mut tokio::process::Command) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    const LIMITS: &str = "Limit                     Soft Limit           Hard Limit           Units     \n\
        Max resident set          unlimited            unlimited            bytes     \n\
        Max file locks            10                   unlimited            locks     \n";

    #[test]
    fn lowered_limits_are_the_mark_of_no_agent() {
        let agents = ["main", "writer", "ops", "a"].map(AgentMark::for_agent);
        for (index, mark) in agents.iter().enumerate() {
            for other in &agents[index + 1..] {
                let can_become =
                    |from: &AgentMark, to: &AgentMark| to.locks <= from.locks && to.rss <= from.rss;
                assert!(!can_become(mark, other) && !can_become(other, mark), "{mark:?} {other:?}");
            }
        }
        assert!(AgentMark::for_agent("Main").is_of("main") && !AgentMark::for_agent("main").is_of("writer"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn mark_is_read_from_hard_limits_only() {
        assert_eq!(AgentMark::in_limits(LIMITS), None);
        let marked = LIMITS.replace("10                   unlimited            locks", "10 20 locks");
        assert_eq!(AgentMark::in_limits(&marked), Some(AgentMark { locks: 20, rss: None }));
        let AgentMark { locks, rss } = AgentMark::for_agent("main");
        let full = format!(
            "Max resident set  1 {} bytes\nMax file locks  1 {locks} locks\n",
            rss.unwrap_or_default()
        );
        assert!(AgentMark::in_limits(&full).is_some_and(|mark| mark.is_of("main")));
    }
}

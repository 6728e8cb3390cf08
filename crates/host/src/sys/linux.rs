//! What a child does between fork and exec.

use rustix::process::{Resource, Rlimit, setrlimit};
use tokio::process::Command;

/// Sets these limits, soft and hard, in the program that `command` starts. A limit that the system refuses stays as it
/// was inherited.
pub(crate) fn limit_before_exec(command: &mut Command, limits: [(Resource, u64); 2]) {
    let set = move || {
        for (resource, limit) in limits {
            let limit = Rlimit { current: Some(limit), maximum: Some(limit) };
            if setrlimit(resource, limit).is_err() {
                // Either the system has no such limit, or an earlier mark is inherited and stays.
                break;
            }
        }
        Ok(())
    };
    // SAFETY: the closure owns its data and only makes system calls: it allocates nothing, takes no lock and does not
    // panic, so it may run in a child forked from a process with threads.
    unsafe {
        command.pre_exec(set);
    }
}

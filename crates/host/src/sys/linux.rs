//! What a child does between fork and exec.

use rustix::io;
use rustix::process::{Resource, Rlimit, setrlimit};
use rustix::thread::{CapabilitySet, capabilities, remove_capability_from_bounding_set, set_capabilities};
use tokio::process::Command;

/// Sets these limits, soft and hard, in the program that `command` starts, and takes away the capability to raise them
/// again. A limit that the system refuses stays as it was inherited.
pub(crate) fn limit_before_exec(command: &mut Command, limits: [(Resource, u64); 2]) {
    let set = move || {
        for (resource, limit) in limits {
            let limit = Rlimit { current: Some(limit), maximum: Some(limit) };
            if setrlimit(resource, limit).is_err() {
                // Either the system has no such limit, or an earlier mark is inherited and stays.
                break;
            }
        }
        // An ordinary account may not do this, and has nothing to lose.
        let _ = give_up_raising();
        Ok(())
    };
    // SAFETY: the closure owns its data and only makes system calls: it allocates nothing, takes no lock and does not
    // panic, so it may run in a child forked from a process with threads.
    unsafe {
        command.pre_exec(set);
    }
}

/// Removes CAP_SYS_RESOURCE from what the next program of this process gets: as root from the bounding set, and for
/// everybody from the inheritable set, which takes it from the ambient set, too.
fn give_up_raising() -> io::Result<()> {
    let mut sets = capabilities(None)?;
    if sets.inheritable.contains(CapabilitySet::SYS_RESOURCE) {
        sets.inheritable.remove(CapabilitySet::SYS_RESOURCE);
        set_capabilities(None, sets)?;
    }
    remove_capability_from_bounding_set(CapabilitySet::SYS_RESOURCE)
}

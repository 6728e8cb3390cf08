//! Memory that was freed and that the allocator keeps.

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code, reason = "a call of glibc, behind a safe function")]
#[path = "sys/glibc.rs"]
mod glibc;

/// Gives freed memory back to the system. glibc keeps what a burst has used; other allocators give it back by
/// themselves. Takes milliseconds.
pub fn release_freed() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    glibc::trim();
}

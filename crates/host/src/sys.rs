//! The system calls that need unsafe code, each behind a safe function: the only unsafe code of the whole program.

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod linux;
#[cfg(windows)]
mod windows;

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
pub(crate) use linux::limit_before_exec;
#[cfg(windows)]
pub(crate) use windows::*;

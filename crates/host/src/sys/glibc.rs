//! glibc behind a safe function.

/// Returns freed memory of all arenas to the system.
pub(crate) fn trim() {
    unsafe extern "C" {
        fn malloc_trim(pad: usize) -> i32;
    }
    // SAFETY: it takes no pointer, may be called by any thread, and touches only memory that was freed. The result says
    // whether there was any.
    unsafe { malloc_trim(0) };
}

//! A place in a reply where the server waits until the test lets it go on.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// Shut until it is opened; opened once, it stays open.
#[derive(Debug, Clone, Default)]
pub struct Gate(Arc<(Mutex<State>, Condvar)>);

#[derive(Debug, Default)]
struct State {
    is_reached: bool,
    is_open: bool,
}

impl Gate {
    /// A shut one.
    #[must_use]
    pub fn shut() -> Self {
        Self::default()
    }

    /// Lets the server go on.
    pub fn open(&self) {
        self.change(|state| state.is_open = true);
    }

    /// Waits until the server stands before it.
    pub fn wait_until_reached(&self) {
        self.wait(|state| state.is_reached);
    }

    pub(crate) fn pass(&self) {
        self.change(|state| state.is_reached = true);
        self.wait(|state| state.is_open);
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.0.0.lock().unwrap_or_else(PoisonError::into_inner));
        self.0.1.notify_all();
    }

    fn wait(&self, until: impl Fn(&State) -> bool) {
        let state = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.0.1.wait_while(state, |state| !until(state)).unwrap_or_else(PoisonError::into_inner));
    }
}

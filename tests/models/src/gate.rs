//! A gate in a reply, at which the server waits until the test opens it.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// Closed until it is opened; it stays open then.
#[derive(Debug, Clone, Default)]
pub struct Gate(Arc<(Mutex<State>, Condvar)>);

#[derive(Debug, Default)]
struct State {
    is_reached: bool,
    is_open: bool,
}

impl Gate {
    /// A closed gate.
    #[must_use]
    pub fn closed() -> Self {
        Self::default()
    }

    /// Lets the server continue.
    pub fn open(&self) {
        self.change(|state| state.is_open = true);
    }

    /// Waits until the server has reached the gate.
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

//! Those who follow one run, beside those who hear of all.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tarsus_store::RunId;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::told::{Told, What};

/// Who follows which run. What waits for one of them is bounded by what is said in its run, and told at most some times
/// a second.
#[derive(Debug, Default)]
pub struct Listeners(Mutex<BTreeMap<RunId, Vec<UnboundedSender<Told>>>>);

impl Listeners {
    /// Everything that is told of a run from now on. The last of it is that the run is over.
    pub fn listen(&self, run: RunId) -> UnboundedReceiver<Told> {
        let (tell, told) = unbounded_channel();
        let mut listeners = self.listeners();
        // Those who went away before their run began are forgotten here.
        listeners.retain(|_, all| {
            all.retain(|one| !one.is_closed());
            !all.is_empty()
        });
        listeners.entry(run).or_default().push(tell);
        told
    }

    /// Tells those who follow its run.
    pub fn tell(&self, told: &Told) {
        let mut listeners = self.listeners();
        let Some(all) = listeners.get_mut(&told.run) else { return };
        all.retain(|one| one.send(told.clone()).is_ok());
        if all.is_empty() || matches!(told.what, What::Over(_)) {
            listeners.remove(&told.run);
        }
    }

    fn listeners(&self) -> MutexGuard<'_, BTreeMap<RunId, Vec<UnboundedSender<Told>>>> {
        // A holder that panicked has left whole entries behind.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::told::Ending;

    #[tokio::test]
    async fn a_listener_hears_of_its_run_until_it_is_over() {
        let listeners = Listeners::default();
        let told = |run: &str, seq, what| Told {
            run: run.parse().unwrap(),
            session: "agent:main:main".parse().unwrap(),
            seq,
            at_ms: 0,
            what,
        };
        let over = || What::Over(Ending::CalledOff { shown: None });
        let mut first = listeners.listen("a".parse().unwrap());
        drop(listeners.listen("gone".parse().unwrap()));
        let mut second = listeners.listen("a".parse().unwrap());
        assert_eq!(listeners.listeners().len(), 1, "who went away is forgotten");
        for told in
            [told("a", 1, What::Began), told("b", 1, What::Began), told("a", 2, over()), told("a", 3, over())]
        {
            listeners.tell(&told);
        }
        for heard in [&mut first, &mut second] {
            assert_eq!(heard.recv().await, Some(told("a", 1, What::Began)));
            assert_eq!(heard.recv().await, Some(told("a", 2, over())));
            assert_eq!(heard.recv().await, None);
        }
        assert!(listeners.listeners().is_empty());
    }
}

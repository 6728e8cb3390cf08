//! Failed attempts to get in, for the audit: one record a minute and address, with how often it happened.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tarsus_audit::{Audit, Entry, Severity};
use tarsus_host::Clock;

use crate::access::Refusal;

const WINDOW: Duration = Duration::from_secs(60);

/// Counts failed attempts and records them.
#[derive(Debug)]
pub struct Failures {
    audit: Arc<Audit>,
    clock: Clock,
    most_addresses: usize,
    windows: Mutex<HashMap<IpAddr, Window>>,
}

#[derive(Debug)]
struct Window {
    opened: Instant,
    /// Attempts since the record that opened the window.
    unrecorded: u64,
}

impl Failures {
    /// Counts for at most `most_addresses` addresses at a time.
    #[must_use]
    pub fn new(audit: Arc<Audit>, clock: Clock, most_addresses: usize) -> Self {
        Self { audit, clock, most_addresses, windows: Mutex::default() }
    }

    /// One more failed attempt.
    pub fn count(&self, refusal: Refusal, address: IpAddr) {
        tracing::warn!(reason = refusal.as_str(), %address, "a request was turned away");
        if let Some(earlier) = self.earlier_to_record(address) {
            let mut entry = Entry::security("auth.failure", Severity::Warning);
            entry.decision = Some("deny".to_owned());
            entry.reason = Some(refusal.as_str().to_owned());
            entry.detail.insert("address".to_owned(), address.to_string().into());
            if earlier > 0 {
                entry.detail.insert("earlier".to_owned(), earlier.into());
            }
            self.audit.record_best_effort(entry, self.clock.now());
        }
    }

    /// Opens a window for the address and returns how many attempts went unrecorded before; none while one is open.
    fn earlier_to_record(&self, address: IpAddr) -> Option<u64> {
        let now = self.clock.monotonic();
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        let open = |window: &Window| now.saturating_duration_since(window.opened) < WINDOW;
        if let Some(window) = windows.get_mut(&address) {
            if open(window) {
                window.unrecorded += 1;
                return None;
            }
            let earlier = window.unrecorded;
            *window = Window { opened: now, unrecorded: 0 };
            return Some(earlier);
        }
        if windows.len() >= self.most_addresses {
            windows.retain(|_, window| open(window) || window.unrecorded > 0);
        }
        // A flood from more addresses than that is in the log; the audit stays readable.
        if windows.len() >= self.most_addresses {
            return None;
        }
        windows.insert(address, Window { opened: now, unrecorded: 0 });
        Some(0)
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use tarsus_audit::Filter;
    use tarsus_home::{Choice, Home};

    use super::*;

    #[test]
    fn repeated_failures_are_one_record_a_minute_and_address() {
        let folder = tempfile::tempdir().unwrap();
        let home =
            Home::locate(&Choice { state_flag: Some(folder.path().to_path_buf()), ..Choice::default() })
                .unwrap();
        let audit = Arc::new(Audit::open(&home).unwrap());
        let (clock, hand) = Clock::fixed(1_000);
        let failures = Failures::new(Arc::clone(&audit), clock, 2);
        let (ada, bob, eve) =
            (Ipv4Addr::new(127, 0, 0, 1), Ipv4Addr::new(127, 0, 0, 2), Ipv4Addr::new(127, 0, 0, 3));

        for address in [ada, ada, bob, ada, eve] {
            failures.count(Refusal::TokenMismatch, address.into());
        }
        hand.advance(WINDOW);
        failures.count(Refusal::TokenMissing, ada.into());

        let seen: Vec<_> = audit
            .tail(&Filter::default())
            .unwrap()
            .records
            .into_iter()
            .map(|record| {
                (record.entry.reason.unwrap(), serde_json::to_string(&record.entry.detail).unwrap())
            })
            .collect();
        let expected = [
            ("token-mismatch", r#"{"address":"127.0.0.1"}"#),
            ("token-mismatch", r#"{"address":"127.0.0.2"}"#),
            ("token-missing", r#"{"address":"127.0.0.1","earlier":2}"#),
        ];
        assert_eq!(seen, expected.map(|(reason, detail)| (reason.to_owned(), detail.to_owned())));
    }
}

//! Failed authentication: one audit record per minute and source, with the number of attempts, and a limit on wrong
//! guesses.
//!
//! All loopback addresses are one source, because a local program can use any of them. Sources beyond the limit share
//! one count.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tarsus_audit::{Audit, AuditEntry, RecordSeverity};
use tarsus_host::Clock;

use crate::access::AccessRefusal;

const WINDOW: Duration = Duration::from_secs(60);

/// Counts failed attempts and records them.
#[derive(Debug)]
pub struct Failures {
    audit: Arc<Audit>,
    clock: Clock,
    most_sources: usize,
    most_guesses: u64,
    windows: Mutex<HashMap<Source, Window>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Source {
    ThisMachine,
    Address(IpAddr),
    /// All sources beyond the limit.
    Others,
}

impl Source {
    fn from_address(address: IpAddr) -> Self {
        let address = address.to_canonical();
        if address.is_loopback() { Self::ThisMachine } else { Self::Address(address) }
    }
}

/// The attempts of one source in one minute.
#[derive(Debug)]
struct Window {
    opened: Instant,
    /// An attempt in this minute was recorded.
    recorded: bool,
    /// Attempts since the last recorded one.
    unrecorded: u64,
    /// Wrong guesses.
    wrong: u64,
}

impl Window {
    fn is_open(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.opened) < WINDOW
    }
}

/// Which guesses are rejected after too many wrong ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GuessLimit {
    /// All, because a password may be short.
    All,
    /// Only wrong ones: a token is too long to guess, so the right one is always accepted.
    WrongOnly,
}

impl Failures {
    /// Counts at most `most_sources` sources separately; each may guess wrong `most_guesses` times a minute.
    #[must_use]
    pub fn new(audit: Arc<Audit>, clock: Clock, most_sources: usize, most_guesses: u64) -> Self {
        Self { audit, clock, most_sources, most_guesses, windows: Mutex::default() }
    }

    /// Counts a failed attempt. Waits for the disk if it is recorded.
    pub fn count(&self, refusal: AccessRefusal, address: IpAddr) {
        if let Some(entry) = self.count_attempt(refusal, address) {
            self.record(entry);
        }
    }

    /// Counts a failed attempt and returns the audit entry, if it has to be recorded.
    #[must_use]
    pub fn count_attempt(&self, refusal: AccessRefusal, address: IpAddr) -> Option<AuditEntry> {
        let earlier = {
            let mut windows = self.windows();
            let window = self.window(&mut windows, address);
            if window.recorded {
                window.unrecorded += 1;
                tracing::debug!(reason = refusal.as_str(), %address, "a request was rejected");
                return None;
            }
            window.recorded = true;
            std::mem::take(&mut window.unrecorded)
        };
        // Logged only as often as it is recorded, so that rejected clients cannot fill the log.
        tracing::warn!(reason = refusal.as_str(), %address, earlier, "a request was rejected");
        let mut entry = AuditEntry::security("auth.failure", RecordSeverity::Warning);
        entry.decision = Some("deny".to_owned());
        entry.reason = Some(refusal.as_str().to_owned());
        entry.detail.insert("address".to_owned(), address.to_string().into());
        if earlier > 0 {
            entry.detail.insert("earlier".to_owned(), earlier.into());
        }
        Some(entry)
    }

    /// Records an entry of [`Failures::count_attempt`]. Waits for the disk.
    pub fn record(&self, entry: AuditEntry) {
        self.audit.record_best_effort(entry, self.clock.now());
    }

    /// Runs `guess` unless its source guessed wrong too often in the last minute, and counts it if it is wrong.
    /// Guesses run one after the other, so that parallel ones cannot exceed the limit.
    ///
    /// # Errors
    /// The error of `guess`, or [`AccessRefusal::TooMany`].
    pub fn guess<T>(
        &self,
        address: IpAddr,
        limit: GuessLimit,
        guess: impl FnOnce() -> Result<T, AccessRefusal>,
    ) -> Result<T, AccessRefusal> {
        let mut windows = self.windows();
        let window = self.window(&mut windows, address);
        let too_many = window.wrong >= self.most_guesses;
        if too_many && limit == GuessLimit::All {
            return Err(AccessRefusal::TooMany);
        }
        let guessed = guess();
        if let Err(AccessRefusal::TokenMismatch | AccessRefusal::PasswordMismatch) = guessed {
            window.wrong += 1;
            if too_many {
                return Err(AccessRefusal::TooMany);
            }
        }
        guessed
    }

    /// The window of an address; a new one if its minute is over.
    fn window<'w>(&self, windows: &'w mut HashMap<Source, Window>, address: IpAddr) -> &'w mut Window {
        let now = self.clock.monotonic();
        let mut source = Source::from_address(address);
        if !windows.contains_key(&source) && windows.len() >= self.most_sources {
            // Their unrecorded attempts are in the log.
            windows.retain(|_, window| window.is_open(now));
            if windows.len() >= self.most_sources {
                source = Source::Others;
            }
        }
        let new = Window { opened: now, recorded: false, unrecorded: 0, wrong: 0 };
        let window = windows.entry(source).or_insert(new);
        if !window.is_open(now) {
            *window = Window { opened: now, recorded: false, unrecorded: window.unrecorded, wrong: 0 };
        }
        window
    }

    fn windows(&self) -> MutexGuard<'_, HashMap<Source, Window>> {
        // Entries are complete even if a thread panicked while it held the lock.
        self.windows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use tarsus_audit::RecordFilter;
    use tarsus_home::{Home, HomeOptions};

    use super::*;

    fn scene(folder: &tempfile::TempDir) -> (Arc<Audit>, Failures, tarsus_host::clock::ClockControl) {
        let choice = HomeOptions { state_flag: Some(folder.path().to_path_buf()), ..HomeOptions::default() };
        let audit = Arc::new(Audit::open(&Home::locate(&choice).unwrap(), None).unwrap());
        let (clock, hand) = Clock::fixed(1_000);
        (Arc::clone(&audit), Failures::new(audit, clock, 2, 3), hand)
    }

    const ADA: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
    const BOB: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 2));
    const EVE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 3));
    const FAY: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 4));

    #[test]
    fn repeated_failures_are_one_record_per_minute() {
        let folder = tempfile::tempdir().unwrap();
        let (audit, failures, hand) = scene(&folder);
        for address in [ADA, ADA, BOB, ADA, EVE, FAY] {
            failures.count(AccessRefusal::TokenMismatch, address);
        }
        hand.advance(WINDOW);
        failures.count(AccessRefusal::TokenMissing, ADA);

        let records: Vec<_> = audit
            .tail(&RecordFilter::default())
            .unwrap()
            .records
            .into_iter()
            .map(|record| {
                (record.entry.reason.unwrap(), serde_json::to_string(&record.entry.detail).unwrap())
            })
            .collect();
        let expected = [
            ("token-mismatch", r#"{"address":"192.0.2.1"}"#),
            ("token-mismatch", r#"{"address":"192.0.2.2"}"#),
            ("token-mismatch", r#"{"address":"192.0.2.3"}"#),
            ("token-missing", r#"{"address":"192.0.2.1","earlier":2}"#),
        ];
        assert_eq!(records, expected.map(|(reason, detail)| (reason.to_owned(), detail.to_owned())));
    }

    #[test]
    fn wrong_guesses_are_limited_per_source() {
        let folder = tempfile::tempdir().unwrap();
        let (_, failures, hand) = scene(&folder);
        let home = |last| IpAddr::V4(Ipv4Addr::new(127, 0, 0, last));
        let wrong =
            |address, limit| failures.guess(address, limit, || Err::<(), _>(AccessRefusal::PasswordMismatch));
        let right = |address, limit| failures.guess(address, limit, || Ok(()));
        for _ in 0..20 {
            failures.count(AccessRefusal::Origin, home(1));
            let missing =
                failures.guess(home(1), GuessLimit::All, || Err::<(), _>(AccessRefusal::PasswordMissing));
            assert_eq!(missing, Err(AccessRefusal::PasswordMissing));
        }
        for last in 1..=3 {
            assert_eq!(wrong(home(last), GuessLimit::All), Err(AccessRefusal::PasswordMismatch));
        }
        let mapped: IpAddr = "::ffff:127.0.0.1".parse().unwrap();
        for address in [home(1), home(9), "::1".parse().unwrap(), mapped] {
            assert_eq!(wrong(address, GuessLimit::All), Err(AccessRefusal::TooMany), "{address}");
            assert_eq!(right(address, GuessLimit::All), Err(AccessRefusal::TooMany), "{address}");
        }
        assert_eq!(wrong(home(1), GuessLimit::WrongOnly), Err(AccessRefusal::TooMany));
        assert_eq!(right(home(1), GuessLimit::WrongOnly), Ok(()), "the right token is always accepted");
        assert_eq!(right(ADA, GuessLimit::All), Ok(()));
        // This machine and Ada are two; all others are counted together.
        for address in [BOB, EVE, FAY] {
            assert_eq!(wrong(address, GuessLimit::All), Err(AccessRefusal::PasswordMismatch));
        }
        assert_eq!(right(BOB, GuessLimit::All), Err(AccessRefusal::TooMany));
        hand.advance(WINDOW);
        assert_eq!(right(home(1), GuessLimit::All), Ok(()));
        assert_eq!(wrong(BOB, GuessLimit::All), Err(AccessRefusal::PasswordMismatch));
    }
}

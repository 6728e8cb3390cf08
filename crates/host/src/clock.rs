//! Time as a value: wall time for people, monotonic time for measuring.
//!
//! A `Clock` is cheap to clone and is passed to all code that needs the time, so that tests can control it.

#![allow(clippy::disallowed_methods, reason = "this module owns the time")]

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;

/// The system's clock, or a clock for tests.
///
/// ```
/// use std::time::Duration;
/// use tarsus_host::Clock;
///
/// let (clock, control) = Clock::fixed(1_000);
/// let before = clock.monotonic();
/// control.advance(Duration::from_millis(250));
/// assert_eq!(clock.wall_ms(), 1_250);
/// assert_eq!(clock.monotonic() - before, Duration::from_millis(250));
/// ```
#[derive(Debug, Clone)]
pub struct Clock(ClockSource);

#[derive(Debug, Clone)]
enum ClockSource {
    System,
    Fixed(Arc<Mutex<FixedTime>>),
}

#[derive(Debug)]
struct FixedTime {
    wall_ms: i64,
    monotonic: Instant,
}

/// Controls a clock made by [`Clock::fixed`].
#[derive(Debug, Clone)]
pub struct ClockControl(Arc<Mutex<FixedTime>>);

impl Clock {
    /// The clock of this machine.
    #[must_use]
    pub const fn system() -> Self {
        Self(ClockSource::System)
    }

    /// A clock that only its control advances.
    #[must_use]
    pub fn fixed(wall_ms: i64) -> (Self, ClockControl) {
        let time = Arc::new(Mutex::new(FixedTime { wall_ms, monotonic: Instant::now() }));
        (Self(ClockSource::Fixed(Arc::clone(&time))), ClockControl(time))
    }

    /// Milliseconds since 1970-01-01 UTC; negative before it. It may jump when the machine's clock is set.
    #[must_use]
    pub fn wall_ms(&self) -> i64 {
        match &self.0 {
            ClockSource::System => match SystemTime::now().duration_since(UNIX_EPOCH) {
                Ok(since) => whole_ms(since),
                Err(before) => -whole_ms(before.duration()),
            },
            ClockSource::Fixed(time) => read(time).wall_ms,
        }
    }

    /// Wall time as a timestamp; 1970 if the clock is outside the representable range.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        Timestamp::from_millisecond(self.wall_ms()).unwrap_or(Timestamp::UNIX_EPOCH)
    }

    /// Monotonic time.
    #[must_use]
    pub fn monotonic(&self) -> Instant {
        match &self.0 {
            ClockSource::System => Instant::now(),
            ClockSource::Fixed(time) => read(time).monotonic,
        }
    }
}

impl ClockControl {
    /// Advances wall time and monotonic time.
    pub fn advance(&self, by: Duration) {
        let mut time = read(&self.0);
        time.wall_ms = time.wall_ms.saturating_add(whole_ms(by));
        if let Some(later) = time.monotonic.checked_add(by) {
            time.monotonic = later;
        }
    }

    /// Sets the wall time, as a correction of the machine's clock does; monotonic time stays.
    pub fn set_wall_ms(&self, wall_ms: i64) {
        read(&self.0).wall_ms = wall_ms;
    }
}

/// The instant after this duration, for timers; capped at a century.
pub(crate) fn deadline(after: Duration) -> tokio::time::Instant {
    const NEVER: Duration = Duration::from_hours(24 * 365 * 100);
    let now = tokio::time::Instant::now();
    now.checked_add(after).unwrap_or_else(|| now + NEVER)
}

/// A panic leaves consistent values: each is set in one step.
fn read(time: &Mutex<FixedTime>) -> MutexGuard<'_, FixedTime> {
    time.lock().unwrap_or_else(PoisonError::into_inner)
}

fn whole_ms(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_clock_moves_only_by_its_control() {
        let (clock, control) = Clock::fixed(-5);
        let (twin, start) = (clock.clone(), clock.monotonic());
        assert_eq!((clock.wall_ms(), clock.monotonic()), (-5, start));

        control.advance(Duration::from_millis(1_005));
        assert_eq!((twin.wall_ms(), twin.monotonic() - start), (1_000, Duration::from_millis(1_005)));

        control.set_wall_ms(7);
        assert_eq!((twin.wall_ms(), twin.monotonic() - start), (7, Duration::from_millis(1_005)));
    }

    #[test]
    fn wall_time_stops_at_the_end_of_its_range() {
        let (clock, control) = Clock::fixed(i64::MAX - 1);
        control.advance(Duration::MAX);
        assert_eq!(clock.wall_ms(), i64::MAX);
        assert_eq!(clock.now(), Timestamp::UNIX_EPOCH);
        control.set_wall_ms(1_500);
        assert_eq!(clock.now().to_string(), "1970-01-01T00:00:01.5Z");
    }

    #[test]
    fn the_system_clock_agrees_with_the_machine() {
        let clock = Clock::system();
        let (low, wall, high) = (SystemTime::now(), clock.wall_ms(), SystemTime::now());
        let ms = |at: SystemTime| whole_ms(at.duration_since(UNIX_EPOCH).unwrap());
        assert!((ms(low)..=ms(high)).contains(&wall));
        assert!(clock.monotonic() <= clock.monotonic());
    }
}

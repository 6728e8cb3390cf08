//! Waiting out a refusal that passes by itself.
//!
//! Windows renames and removes nothing that somebody has open, if only to look at it: another of our threads, a search
//! index, a virus scanner. They let go within moments; a file that may not be changed at all is refused until the end.

use std::io;
#[cfg(windows)]
use std::time::Duration;

#[cfg(windows)]
const LONGEST_WAIT: Duration = Duration::from_secs(2);
#[cfg(windows)]
const LONGEST_STEP: Duration = Duration::from_millis(20);

/// Does it, and on Windows does it again for two seconds as long as somebody has the file open.
pub(super) fn patiently<T>(mut act: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    #[cfg(windows)]
    {
        let (mut waited, mut step) = (Duration::ZERO, Duration::from_millis(1));
        while waited < LONGEST_WAIT {
            match act() {
                Err(error) if is_passing(&error) => std::thread::sleep(step),
                done => return done,
            }
            waited += step;
            step = (step * 2).min(LONGEST_STEP);
        }
    }
    act()
}

/// `ERROR_ACCESS_DENIED`, `ERROR_SHARING_VIOLATION`, `ERROR_USER_MAPPED_FILE`: which of them says that a file is open
/// depends on how it is open.
#[cfg(windows)]
fn is_passing(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(5 | 32 | 1224))
}

#[cfg(all(test, windows))]
mod tests {
    use super::*;

    /// How often it is tried when the answers are these, and what comes of it.
    fn tries(answers: &[Option<i32>]) -> (usize, Option<i32>) {
        let mut tries = 0;
        let done = patiently(|| {
            tries += 1;
            answers[tries - 1].map_or(Ok(()), |code| Err(io::Error::from_raw_os_error(code)))
        });
        (tries, done.err().and_then(|error| error.raw_os_error()))
    }

    #[test]
    fn an_open_file_is_waited_for_and_a_missing_one_is_not() {
        assert_eq!(tries(&[None]), (1, None));
        assert_eq!(tries(&[Some(5), Some(32), Some(1224), None]), (4, None));
        assert_eq!(tries(&[Some(32), Some(2), None]), (2, Some(2)));
    }

    #[test]
    fn a_file_that_stays_open_is_refused_in_the_end() {
        let (tries, code) = tries(&[Some(32); 1000]);
        assert!((100..200).contains(&tries), "{tries}");
        assert_eq!(code, Some(32));
    }
}

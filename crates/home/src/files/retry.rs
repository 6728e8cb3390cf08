//! Retries operations that fail only for a moment.
//!
//! Windows cannot rename or remove a file while another thread, a search indexer or a virus scanner has it open. They
//! close it soon; an error that persists is returned after two seconds.

use std::io;
#[cfg(windows)]
use std::time::Duration;

#[cfg(windows)]
const MAX_WAIT: Duration = Duration::from_secs(2);
#[cfg(windows)]
const MAX_PAUSE: Duration = Duration::from_millis(20);

/// Runs `act`; on Windows, retries it for up to two seconds while another process has the file open.
pub(super) fn retry_while_open<T>(mut act: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    #[cfg(windows)]
    {
        let (mut waited, mut step) = (Duration::ZERO, Duration::from_millis(1));
        while waited < MAX_WAIT {
            match act() {
                Err(error) if is_transient(&error) => std::thread::sleep(step),
                done => return done,
            }
            waited += step;
            step = (step * 2).min(MAX_PAUSE);
        }
    }
    act()
}

/// `ERROR_ACCESS_DENIED`, `ERROR_SHARING_VIOLATION` or `ERROR_USER_MAPPED_FILE`, depending on how the file is open.
#[cfg(windows)]
fn is_transient(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(5 | 32 | 1224))
}

#[cfg(all(test, windows))]
mod tests {
    use super::*;

    /// Returns the number of attempts and the final error code for these results.
    fn attempts(answers: &[Option<i32>]) -> (usize, Option<i32>) {
        let mut tries = 0;
        let done = retry_while_open(|| {
            tries += 1;
            answers[tries - 1].map_or(Ok(()), |code| Err(io::Error::from_raw_os_error(code)))
        });
        (tries, done.err().and_then(|error| error.raw_os_error()))
    }

    #[test]
    fn only_open_files_are_retried() {
        assert_eq!(attempts(&[None]), (1, None));
        assert_eq!(attempts(&[Some(5), Some(32), Some(1224), None]), (4, None));
        assert_eq!(attempts(&[Some(32), Some(2), None]), (2, Some(2)));
    }

    #[test]
    fn a_file_that_stays_open_fails_in_the_end() {
        let (tries, code) = attempts(&[Some(32); 1000]);
        assert!((100..200).contains(&tries), "{tries}");
        assert_eq!(code, Some(32));
    }
}

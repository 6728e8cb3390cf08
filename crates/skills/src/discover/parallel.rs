//! A parallel map that keeps the order of its input.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Items per thread that make another thread worthwhile.
const WORTH_A_THREAD: usize = 64;
/// Items that a thread takes at a time.
const BLOCK: usize = 32;

/// Calls `work` for each item; each thread has its own `State`.
pub fn map_in_order<T: Sync, State: Default, A: Send>(
    items: &[T],
    work: impl Fn(&mut State, &T) -> A + Sync,
) -> Vec<A> {
    let most = items.len() / WORTH_A_THREAD;
    let threads =
        if most < 2 { 1 } else { thread::available_parallelism().map_or(1, NonZero::get).min(most) };
    if threads == 1 {
        let mut state = State::default();
        return items.iter().map(|item| work(&mut state, item)).collect();
    }
    let next = AtomicUsize::new(0);
    let run = || {
        let (mut state, mut done) = (State::default(), Vec::new());
        loop {
            let start = next.fetch_add(BLOCK, Ordering::Relaxed);
            let Some(block) =
                items.get(start..items.len().min(start + BLOCK)).filter(|block| !block.is_empty())
            else {
                return done;
            };
            let answers: Vec<A> = block.iter().map(|item| work(&mut state, item)).collect();
            done.push((start, answers));
        }
    };
    let mut blocks: Vec<(usize, Vec<A>)> = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(run)).collect();
        let own = run();
        let joined = others.into_iter().flat_map(|other| match other.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        own.into_iter().chain(joined).collect()
    });
    blocks.sort_unstable_by_key(|(start, _)| *start);
    blocks.into_iter().flat_map(|(_, answers)| answers).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_in_the_order_of_the_items() {
        for number in [0, 1, 63, 64, 128, 1_000, 10_007] {
            let items: Vec<_> = (0..number).collect();
            let answers = map_in_order(&items, |seen: &mut usize, item| {
                *seen += 1;
                (item * 2, *seen > 0)
            });
            let expected: Vec<_> = items.iter().map(|item| (item * 2, true)).collect();
            assert_eq!(answers, expected);
        }
    }
}

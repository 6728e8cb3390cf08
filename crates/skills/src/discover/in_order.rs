//! The same work for many things on all processors, with the answers in the order of the things.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Fewer things than this are not worth a second thread.
const WORTH_A_THREAD: usize = 64;
/// How many things a thread takes at a time.
const BLOCK: usize = 32;

/// Calls `work` for each thing; each thread has a `Desk` of its own to work on.
pub fn in_order<T: Sync, Desk: Default, A: Send>(
    things: &[T],
    work: impl Fn(&mut Desk, &T) -> A + Sync,
) -> Vec<A> {
    let most = things.len() / WORTH_A_THREAD;
    let threads =
        if most < 2 { 1 } else { thread::available_parallelism().map_or(1, NonZero::get).min(most) };
    if threads == 1 {
        let mut desk = Desk::default();
        return things.iter().map(|thing| work(&mut desk, thing)).collect();
    }
    let next = AtomicUsize::new(0);
    let run = || {
        let (mut desk, mut done) = (Desk::default(), Vec::new());
        loop {
            let start = next.fetch_add(BLOCK, Ordering::Relaxed);
            let Some(block) =
                things.get(start..things.len().min(start + BLOCK)).filter(|block| !block.is_empty())
            else {
                return done;
            };
            let answers: Vec<A> = block.iter().map(|thing| work(&mut desk, thing)).collect();
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
    fn answers_come_in_the_order_of_the_things() {
        for number in [0, 1, 63, 64, 128, 1_000, 10_007] {
            let things: Vec<_> = (0..number).collect();
            let answers = in_order(&things, |seen: &mut usize, thing| {
                *seen += 1;
                (thing * 2, *seen > 0)
            });
            let expected: Vec<_> = things.iter().map(|thing| (thing * 2, true)).collect();
            assert_eq!(answers, expected);
        }
    }
}

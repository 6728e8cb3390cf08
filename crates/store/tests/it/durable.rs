//! Many threads, one file: nothing is lost, nobody waits for nothing, and a file that is not right is named and left
//! as it is.

use std::fs;
use std::thread;

use crate::fixture::{Fixture, answer_of, key, lines, new_message};
use rusqlite::Connection;
use tarsus_home::files;
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_store::{Durability, HistoryQuery, HistoryStart, SessionPatch, Store, StoreError, VERSION};

const MAIN: &str = "agent:main:main";

#[test]
fn concurrent_appends_number_items_without_gaps() {
    let fixture = Fixture::new();
    let store = fixture.open();
    let (threads, times) = (8, 500);
    let session = |thread: usize| format!("agent:main:thread-{}", thread % 4);
    for thread in 0..4 {
        store.patch(key(&session(thread)), SessionPatch::default(), 1).wait().unwrap();
    }
    let store = &store;
    let written: Vec<(u64, String, String)> = thread::scope(|scope| {
        let writers: Vec<_> = (0..threads)
            .map(|thread| {
                scope.spawn(move || {
                    let append = |time| {
                        let (session, text) = (session(thread), format!("{thread}/{time}"));
                        let durability =
                            if time % 10 == 0 { Durability::PowerSafe } else { Durability::KillSafe };
                        let number =
                            store.append(answer_of(&session, None, &text, 2), durability).wait().unwrap();
                        (number, session, text)
                    };
                    (0..times).map(append).collect::<Vec<_>>()
                })
            })
            .collect();
        // Meanwhile readers see what is there at a moment: always the beginning of what will be there.
        let readers: Vec<_> = (0..6)
            .map(|thread| {
                scope.spawn(move || {
                    let mut seen = 0;
                    while seen < 2 * times {
                        let wanted = HistoryQuery {
                            limit: 1_000,
                            start: HistoryStart::After(0),
                            ..HistoryQuery::for_session(key(&session(thread)))
                        };
                        let page = store.history(&wanted).unwrap().unwrap();
                        assert!(page.items.is_sorted_by(|one, next| one.number < next.number));
                        assert_eq!((page.items.len() as u64, page.more), (page.total, false));
                        assert!(page.items.len() >= seen, "what was seen stays");
                        seen = page.items.len();
                    }
                })
            })
            .collect();
        readers.into_iter().for_each(|reader| reader.join().unwrap());
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
    });

    let mut numbers: Vec<_> = written.iter().map(|(number, _, _)| *number).collect();
    numbers.sort_unstable();
    assert!(numbers.into_iter().eq(1..=(threads * times) as u64), "1, 2, 3, … without a gap");
    for thread in 0..4 {
        let mut expected: Vec<_> = written
            .iter()
            .filter(|(_, of, _)| *of == session(thread))
            .map(|(number, _, text)| (*number, text.clone()))
            .collect();
        expected.sort_unstable();
        assert_eq!(lines(store, &session(thread)), expected, "each item is where its writer was told");
    }
    let written = store.writer_stats();
    assert_eq!(written.changes, (threads * times) as u64 + 4);
    assert!(written.groups <= written.changes && written.syncs <= written.groups, "{written:?}");
}

#[test]
fn group_is_synced_once_and_only_on_request() {
    let fixture = Fixture::new();
    let store = fixture.open();
    store.patch(key(MAIN), SessionPatch::default(), 1).wait().unwrap();
    let before = store.writer_stats();
    let append = |durability| store.append(answer_of(MAIN, None, "text", 2), durability).wait().unwrap();
    append(Durability::KillSafe);
    assert_eq!(store.writer_stats().syncs, before.syncs);
    append(Durability::PowerSafe);
    assert_eq!(store.writer_stats().syncs, before.syncs + 1);

    // While the writer is held up, changes gather; then they are one group.
    let holder = Connection::open(store.path()).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let held_up = store.writer_stats();
    let answers: Vec<_> =
        (0..100).map(|_| store.append(answer_of(MAIN, None, "text", 3), Durability::PowerSafe)).collect();
    holder.execute_batch("COMMIT").unwrap();
    assert!(answers.into_iter().all(|answer| answer.wait().is_ok()));
    let (groups, syncs) =
        (store.writer_stats().groups - held_up.groups, store.writer_stats().syncs - held_up.syncs);
    assert!(groups <= 2 && syncs == groups, "{groups} groups and {syncs} syncs");
}

#[test]
fn blocked_writer_stops_no_reader_and_bounds_the_queue() {
    let fixture = Fixture::new();
    let store = fixture.open();
    store.accept(new_message(MAIN, "r", "before", 1)).wait().unwrap();
    let holder = Connection::open(store.path()).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut answers = Vec::new();
    let refused = loop {
        // What the writer took first is not counted: it may be anything up to a whole queue.
        assert!(answers.len() <= 2 * 1_024, "the queue has no bound");
        let (sender, answer) =
            (answers.len(), store.append(answer_of(MAIN, None, "text", 2), Durability::KillSafe));
        match now_or_later(answer) {
            Ok(later) => answers.push((sender, later)),
            Err(error) => break error,
        }
    };
    assert!(matches!(refused, StoreError::Behind));
    let problem = Problem::from(refused);
    assert_eq!((problem.code, problem.code.retryable()), (ErrorCode::Busy, true));
    assert!(answers.len() >= 1_024);
    assert_eq!(lines(&store, MAIN), [(1, "before".to_owned())], "readers see what is written");

    holder.execute_batch("COMMIT").unwrap();
    for (place, answer) in answers {
        assert_eq!(answer.wait().unwrap(), place as u64 + 2);
    }
}

/// An answer that is there at once when it is a refusal.
fn now_or_later(
    answer: tarsus_store::PendingChange<u64>,
) -> Result<tarsus_store::PendingChange<u64>, StoreError> {
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};
    let mut answer = answer;
    match pin!(&mut answer).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(Err(error)) => Err(error),
        Poll::Ready(Ok(number)) => panic!("{number} was written while the writer was held up"),
        Poll::Pending => Ok(answer),
    }
}

#[test]
fn store_is_locked_by_one_process() {
    let fixture = Fixture::new();
    let store = fixture.open();
    let problem = Problem::from(Store::open(&fixture.home).map(|_| ()).unwrap_err());
    assert_eq!(
        (problem.code, problem.message.as_str()),
        (ErrorCode::Busy, "store.db is in use by another process")
    );
    drop(store);
    drop(fixture.open());
}

#[test]
fn files_of_the_store_are_private() {
    let fixture = Fixture::new();
    let store = fixture.open();
    store.accept(new_message(MAIN, "r", "private", 1)).wait().unwrap();
    store.session(&key(MAIN)).unwrap();
    let names = files::list_names(&fixture.home.own_dir(), 100).unwrap();
    assert_eq!(names, [".store.db.lock", "store.db", "store.db-shm", "store.db-wal"]);
    for name in names {
        assert_eq!(files::open_to_others(&fixture.home.own_dir().join(&name)).unwrap(), None, "{name}");
    }
    drop(store);
    let names = files::list_names(&fixture.home.own_dir(), 100).unwrap();
    assert_eq!(names, [".store.db.lock", "store.db"], "closed, it is one file");
}

/// Opens a store that must be refused, and returns why.
fn refused(fixture: &Fixture) -> Problem {
    Store::open(&fixture.home).map(|_| ()).unwrap_err().into()
}

type Damage = fn(&mut Vec<u8>);

#[test]
fn damaged_file_is_reported_and_left_unchanged() {
    let fixture = Fixture::new();
    let store = fixture.open();
    for number in 0..200 {
        drop(store.accept(new_message(MAIN, &format!("r{number}"), "text", 1)).wait().unwrap());
    }
    drop(store);
    let path = fixture.home.store_path();
    let whole = fs::read(&path).unwrap();
    let damages: [(&str, Damage); 4] = [
        ("text instead", |bytes| *bytes = b"not a database at all, but quite long for its kind".repeat(20)),
        ("a wrong header", |bytes| bytes[0] ^= 1),
        ("a wrong schema page", |bytes| bytes[100..1_000].fill(0xff)),
        ("cut short", |bytes| bytes.truncate(5_000)),
    ];
    for (name, damage) in damages {
        let mut bytes = whole.clone();
        damage(&mut bytes);
        fs::write(&path, &bytes).unwrap();
        let problem = refused(&fixture);
        assert_eq!(
            (problem.code, problem.message.as_str()),
            (ErrorCode::Malformed, "store.db is damaged"),
            "{name}: {problem:?}"
        );
        assert_eq!(problem.location.as_ref().unwrap().path, path, "{name}");
        assert!(problem.next_step().contains("restore it"), "{name}");
        assert_eq!(fs::read(&path).unwrap(), bytes, "{name}");
    }
    fs::write(&path, &whole).unwrap();
    assert_eq!(lines(&fixture.open(), MAIN).len(), 200);
}

#[test]
fn damage_inside_the_file_is_reported_on_access() {
    let fixture = Fixture::new();
    fixture.open().accept(new_message(MAIN, "r", "text", 1)).wait().unwrap();
    let store = fixture.open();
    store.accept(new_message(MAIN, "r2", "text", 1)).wait().unwrap();
    let other = Connection::open(store.path()).unwrap();
    other.execute_batch("UPDATE items SET message = '{\"role\":' WHERE number = 2").unwrap();
    let problem = Problem::from(store.history(&HistoryQuery::for_session(key(MAIN))).unwrap_err());
    assert_eq!((problem.code, problem.message.as_str()), (ErrorCode::Malformed, "store.db is damaged"));
    assert!(problem.notes[0].contains("message"), "{problem:?}");
    assert_eq!(store.session(&key(MAIN)).unwrap().unwrap().items, 2, "the rest can be read");
}

#[test]
fn empty_file_beside_a_log_is_reported_as_damage() {
    let fixture = Fixture::new();
    let store = fixture.open();
    store.accept(new_message(MAIN, "r", "only in the log", 1)).wait().unwrap();
    let (path, log) = (fixture.home.store_path(), fixture.home.own_dir().join("store.db-wal"));
    let kept = fs::read(&log).unwrap();
    drop(store);
    for make_empty in [|path| fs::write(path, b"").unwrap(), |path| fs::remove_file(path).unwrap()] {
        make_empty(&path);
        fs::write(&log, &kept).unwrap();
        let problem = refused(&fixture);
        assert_eq!((problem.code, problem.message.as_str()), (ErrorCode::Malformed, "store.db is damaged"));
        assert_eq!(fs::read(&log).unwrap(), kept);
    }
}

#[test]
fn directory_in_place_of_the_store_is_refused() {
    let fixture = Fixture::new();
    fs::create_dir_all(fixture.home.store_path()).unwrap();
    let problem = refused(&fixture);
    assert_eq!(problem.code, ErrorCode::Malformed);
    assert!(problem.message.contains("it is a folder"), "{problem}");
}

#[test]
fn schema_has_the_current_version() {
    let fixture = Fixture::new();
    drop(fixture.open());
    let db = Connection::open(fixture.home.store_path()).unwrap();
    let version: u32 = db.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    let application: u32 = db.pragma_query_value(None, "application_id", |row| row.get(0)).unwrap();
    let mode: String = db.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
    assert_eq!((version, application.to_be_bytes(), mode.as_str()), (VERSION, *b"Tars", "wal"));
}

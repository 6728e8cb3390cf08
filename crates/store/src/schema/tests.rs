//! Migrations with steps of their own: whole or not at all, after a backup, and never of what is not ours.
#![allow(clippy::disallowed_methods, reason = "tests look at the files themselves")]

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use tarsus_home::{Home, HomeOptions};
use tarsus_protocol::{ErrorCode, Problem};
use tempfile::TempDir;

use super::*;
use crate::file::{self, Access};
use crate::{SessionPatch, SessionQuery, Store};

const NEXT: &str = "ALTER TABLE sessions ADD COLUMN mood TEXT; UPDATE sessions SET mood = 'calm';";

fn with_next() -> Vec<&'static str> {
    [STEPS, &[NEXT]].concat()
}

fn home() -> (TempDir, Home) {
    let folder = tempfile::tempdir().unwrap();
    let choice = HomeOptions { state_flag: Some(folder.path().join("state")), ..HomeOptions::default() };
    let home = Home::locate(&choice).unwrap();
    (folder, home)
}

/// A store of the present version with one session.
fn create_store(home: &Home) {
    let store = Store::open_with(home, STEPS).unwrap();
    let patch = SessionPatch { label: Some(Some("kept".parse().unwrap())), ..SessionPatch::default() };
    store.patch("agent:main:main".parse().unwrap(), patch, 1).wait().unwrap();
}

fn labels(path: &Path) -> Vec<String> {
    let db = Connection::open(path).unwrap();
    let mut query = db.prepare("SELECT label FROM sessions").unwrap();
    query.query_map((), |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

fn open_error(home: &Home, steps: &[&str]) -> Problem {
    Store::open_with(home, steps).map(|_| ()).unwrap_err().into()
}

#[test]
fn new_and_migrated_empty_stores_are_identical() {
    let folder = tempfile::tempdir().unwrap();
    let (new, empty) = (folder.path().join("new.db"), folder.path().join("empty.db"));
    fs::write(&new, new_database(&with_next()).unwrap()).unwrap();
    fs::write(&empty, "").unwrap();
    let opened = |path: &Path| {
        let db = file::connect(path, Access::Write).unwrap();
        let from = check_version(&db, path, &with_next()).unwrap();
        file::enable_wal(&db).unwrap();
        migrate(&db, from, &with_next(), folder.path()).unwrap();
        let tables: Vec<(String, Option<String>)> = db
            .prepare("SELECT name, sql FROM sqlite_schema ORDER BY name")
            .unwrap()
            .query_map((), |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        (from, check_version(&db, path, &with_next()).unwrap(), tables)
    };
    let (from, to, tables) = opened(&new);
    let next = VERSION + 1;
    assert_eq!((from, to, fs::read(&new).unwrap()), (next, next, new_database(&with_next()).unwrap()));
    assert_eq!(opened(&empty), (0, next, tables));
}

#[test]
fn migration_keeps_data_and_a_private_backup() {
    let (_folder, home) = home();
    create_store(&home);
    let store = Store::open_with(&home, &with_next()).unwrap();
    let backup = home.backups_dir().join(format!("store.db.v{VERSION}"));
    assert_eq!(store.recovery().migrated, Some(Migration { from: VERSION, backup: backup.clone() }));
    assert_eq!(store.sessions(&SessionQuery::default()).unwrap().total, 1);
    drop(store);
    assert_eq!(
        (labels(&home.store_path()), labels(&backup)),
        (vec!["kept".to_owned()], vec!["kept".to_owned()])
    );
    assert_eq!(tarsus_home::files::open_to_others(&backup).unwrap(), None);
    let version = |path: &Path| -> u32 {
        Connection::open(path).unwrap().pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
    };
    assert_eq!((version(&home.store_path()), version(&backup)), (VERSION + 1, VERSION));
    let again = Store::open_with(&home, &with_next()).unwrap();
    assert_eq!(again.recovery().migrated, None);
}

#[test]
fn failed_migration_step_leaves_the_store_unchanged() {
    let (_folder, home) = home();
    create_store(&home);
    let steps = [STEPS, &[NEXT, "CREATE TABLE sessions (id INTEGER)"]].concat();
    assert_eq!(open_error(&home, &steps).message, "store.db cannot be used");
    let store = Store::open_with(&home, STEPS).unwrap();
    assert_eq!(store.sessions(&SessionQuery::default()).unwrap().total, 1);
}

#[test]
fn newer_store_is_refused_and_left_unchanged() {
    let (_folder, home) = home();
    create_store(&home);
    drop(Store::open_with(&home, &with_next()).unwrap());
    let before = fs::read(home.store_path()).unwrap();
    let problem = open_error(&home, STEPS);
    let note =
        format!("it has schema version {}; this program supports versions up to {VERSION}", VERSION + 1);
    assert_eq!(
        (problem.code, problem.message.as_str(), problem.notes.join("; ")),
        (ErrorCode::Malformed, "store.db was written by a newer Tarsus", note)
    );
    assert_eq!(problem.location.unwrap().path, home.store_path());
    assert_eq!(fs::read(home.store_path()).unwrap(), before);
}

#[test]
fn foreign_database_is_refused_and_left_unchanged() {
    for made in [
        "CREATE TABLE notes (text TEXT)",
        "PRAGMA user_version = 1",
        "PRAGMA application_id = 7; PRAGMA user_version = 1; CREATE TABLE notes (text TEXT)",
    ] {
        let (_folder, home) = home();
        fs::create_dir_all(home.own_dir()).unwrap();
        Connection::open(home.store_path()).unwrap().execute_batch(made).unwrap();
        let before = fs::read(home.store_path()).unwrap();
        let problem = open_error(&home, STEPS);
        assert_eq!(
            (problem.code, problem.message.as_str()),
            (ErrorCode::Malformed, "store.db is a database, but not one of ours")
        );
        assert_eq!(fs::read(home.store_path()).unwrap(), before, "{made}");
    }
}

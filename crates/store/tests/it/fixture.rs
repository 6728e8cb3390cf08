//! Shared by the tests of the store: a temporary home and short constructors.
#![allow(dead_code, reason = "each test takes what it needs")]

use tarsus_home::{Home, HomeOptions};
use tarsus_protocol::{Block, Message, Role};
use tarsus_store::{HistoryQuery, Item, NewItem, NewMessage, RunId, SessionKey, Store};
use tempfile::TempDir;

/// A state folder, gone at the end of the test.
pub struct Fixture {
    pub folder: TempDir,
    pub home: Home,
}

impl Fixture {
    pub fn new() -> Self {
        // In memory where the system offers that: these tests are not about how fast a disk syncs.
        let folder = TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).unwrap();
        let choice = HomeOptions { state_flag: Some(folder.path().join("state")), ..HomeOptions::default() };
        let home = Home::locate(&choice).unwrap();
        Self { folder, home }
    }

    pub fn open(&self) -> Store {
        Store::open(&self.home).unwrap()
    }
}

pub fn key(text: &str) -> SessionKey {
    text.parse().unwrap()
}

pub fn run(text: &str) -> RunId {
    text.parse().unwrap()
}

pub fn message(role: Role, text: &str) -> Message {
    Message { role, content: vec![Block::text(text)], timestamp: None }
}

pub fn new_message(session: &str, run_id: &str, text: &str, at_ms: i64) -> NewMessage {
    NewMessage { session: key(session), run: run(run_id), message: message(Role::User, text), at_ms }
}

pub fn answer_of(session: &str, run_id: Option<&str>, text: &str, at_ms: i64) -> NewItem {
    NewItem { session: key(session), run: run_id.map(run), message: message(Role::Assistant, text), at_ms }
}

/// The items of a session's present transcript, at most 1,000.
pub fn items(store: &Store, session: &str) -> Vec<Item> {
    let wanted = HistoryQuery { limit: 1_000, ..HistoryQuery::for_session(key(session)) };
    store.history(&wanted).unwrap().unwrap().items
}

/// Their numbers and texts.
pub fn lines(store: &Store, session: &str) -> Vec<(u64, String)> {
    items(store, session).into_iter().map(|item| (item.number, text(&item.message))).collect()
}

pub fn text(message: &Message) -> String {
    match message.content.as_slice() {
        [Block::Text(text)] => text.text.clone(),
        other => panic!("one text, not {other:?}"),
    }
}

/// The result of a call.
pub fn result_of(session: &str, run_id: &str, call: &str, text: &str, at_ms: i64) -> NewItem {
    let role = Role::ToolResult {
        tool_call_id: call.to_owned(),
        tool_name: "read".to_owned(),
        is_error: false,
        details: None,
    };
    NewItem { session: key(session), run: Some(run(run_id)), message: message(role, text), at_ms }
}

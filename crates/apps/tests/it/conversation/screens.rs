//! Every screen as people see it, in both languages.

use insta::assert_snapshot;
use tarsus_apps::conversation::{Language, TypedPath};

use super::fixture::{Fixture, LAST_Z, MIXED};

/// The same script in both languages.
fn both(fixture: impl Fn() -> Fixture, lines: &[&str]) -> (String, String) {
    let chinese = Fixture { locale: Language::Chinese, ..fixture() };
    let requests: Vec<String> = lines.iter().map(|line| in_chinese(line)).collect();
    let requests: Vec<&str> = requests.iter().map(String::as_str).collect();
    (fixture().play(lines), chinese.play(&requests))
}

/// A request as a Chinese person writes it; words of the menu stay as they are.
fn in_chinese(line: &str) -> String {
    let verbs = [("open ", "打开 "), ("stop ", "停止 "), ("show ", "查看 ")];
    let verb = verbs.iter().find_map(|(english, chinese)| Some((chinese, line.strip_prefix(english)?)));
    match (line, verb) {
        ("who can run this app", _) => "谁可以运行此应用".to_owned(),
        (_, Some((verb, name))) => format!("{verb}{name}"),
        (line, None) => line.to_owned(),
    }
}

macro_rules! snapshot_both {
    ($name:literal, $fixture:expr, $lines:expr) => {
        let (english, chinese) = both($fixture, $lines);
        assert_snapshot!(concat!($name, "_en"), english);
        assert_snapshot!(concat!($name, "_zh"), chinese);
    };
}

#[test]
fn missing_file_can_be_created() {
    snapshot_both!("create", Fixture::new, &["add", "no", "create", "quit"]);
}

#[test]
fn app_is_added_question_by_question() {
    let lines = [
        "add",
        "",
        "Last Z",
        "",
        "/games/last-z",
        "skip",
        "",
        "sometimes",
        "allowlist",
        " , ",
        "system_engineer, main",
        "maybe",
        "yes",
        "quit",
    ];
    snapshot_both!("add", || Fixture::with("{}"), &lines);
}

#[test]
fn app_is_edited_from_its_current_values() {
    snapshot_both!(
        "edit",
        || Fixture::with(LAST_Z),
        &["edit", "1", "9", "6", "/new/path", "clear", "keep", "full", "yes", "quit"]
    );
}

#[test]
fn policy_is_changed_after_the_proposal() {
    snapshot_both!(
        "policy",
        || Fixture::with(LAST_Z),
        &["policy", "1", "4", "", "policy", "1", "1", "yes", "policy", "1", "4", "yes", "main", "yes"]
    );
}

#[test]
fn app_is_deleted_after_it_was_shown() {
    snapshot_both!("delete", || Fixture::with(LAST_Z), &["delete", "1", "no", "delete", "Last Z", "yes"]);
}

#[test]
fn registry_is_checked_with_every_fault() {
    snapshot_both!("validate", || Fixture::with(MIXED), &["validate", "who can run this app", "show 5"]);
}

#[test]
fn apps_are_launched_and_stopped_by_number_and_name() {
    let fixture = || Fixture { running: ["Firefox".to_owned()].into(), ..Fixture::with(MIXED) };
    let lines = [
        "1",
        "3",
        "5",
        "stop firefox",
        "stop 4",
        "stop steam",
        "yes",
        "open f1refox",
        "no",
        "open nothing at all",
        "99",
        "hello",
    ];
    snapshot_both!("run", fixture, &lines);
}

#[test]
fn unlisted_agent_sees_the_allowlist() {
    snapshot_both!("refused", || Fixture { agent: "writer", ..Fixture::with(LAST_Z) }, &["1", "stop last z"]);
}

#[test]
fn invalid_file_is_shown_with_its_position() {
    snapshot_both!(
        "broken",
        || Fixture::with("{\n  \"a\" 1\n}"),
        &["validate", "add", "edit", "open last z"]
    );
}

#[test]
fn taken_name_leads_to_edit() {
    snapshot_both!("taken", || Fixture::with(LAST_Z), &["add", " LAST  z ", "yes", "back", "back"]);
}

#[test]
fn shortcut_offers_its_target() {
    let typed = TypedPath { exists: false, shortcut_target: Some(r"C:\Game\Survival.exe".to_owned()) };
    let fixture = || Fixture { typed_path: Some(typed.clone()), ..Fixture::with("{}") };
    snapshot_both!(
        "shortcut",
        fixture,
        &["add", "Game", r#""C:\Game.lnk""#, "1", "", "off", "back", "full", "yes"]
    );
}

#[test]
fn incomplete_entry_is_completed_before_saving() {
    snapshot_both!(
        "complete",
        || Fixture::with(MIXED),
        &["edit", "Half", "1", "/usr/bin/half2", "off", "yes", "edit", "5", "3", "x", "/p", "full", "yes"]
    );
}

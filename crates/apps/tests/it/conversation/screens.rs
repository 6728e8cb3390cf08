//! Every screen as people see it, in both languages.

use insta::assert_snapshot;
use tarsus_apps::conversation::{Language, TypedPath};

use super::desk::{Desk, LAST_Z, MIXED};

/// The same script in both languages.
fn both(desk: impl Fn() -> Desk, lines: &[&str]) -> (String, String) {
    let chinese = Desk { locale: Language::Chinese, ..desk() };
    (desk().play(lines), chinese.play(lines))
}

macro_rules! snapshot_both {
    ($name:literal, $desk:expr, $lines:expr) => {
        let (english, chinese) = both($desk, $lines);
        assert_snapshot!(concat!($name, "_en"), english);
        assert_snapshot!(concat!($name, "_zh"), chinese);
    };
}

#[test]
fn without_a_file_the_start_screen_offers_to_create_it() {
    snapshot_both!("create", Desk::new, &["add", "no", "create", "quit"]);
}

#[test]
fn an_app_is_added_question_by_question() {
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
    snapshot_both!("add", || Desk::with("{}"), &lines);
}

#[test]
fn an_app_is_edited_from_its_current_values() {
    snapshot_both!(
        "edit",
        || Desk::with(LAST_Z),
        &["edit", "1", "9", "6", "/new/path", "clear", "keep", "full", "yes", "quit"]
    );
}

#[test]
fn a_policy_is_changed_after_the_proposal_was_shown() {
    snapshot_both!(
        "policy",
        || Desk::with(LAST_Z),
        &["policy", "1", "4", "", "policy", "1", "1", "yes", "policy", "1", "4", "yes", "main", "yes"]
    );
}

#[test]
fn an_app_is_deleted_only_after_it_was_shown() {
    snapshot_both!("delete", || Desk::with(LAST_Z), &["delete", "1", "no", "delete", "Last Z", "yes"]);
}

#[test]
fn the_registry_is_checked_and_listed_with_every_reason() {
    snapshot_both!("validate", || Desk::with(MIXED), &["validate", "who can run this app", "show 5"]);
}

#[test]
fn apps_are_launched_and_stopped_by_number_and_by_name() {
    let desk = || Desk { running: ["Firefox".to_owned()].into(), ..Desk::with(MIXED) };
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
    snapshot_both!("run", desk, &lines);
}

#[test]
fn an_agent_that_is_not_listed_is_told_who_is() {
    snapshot_both!("refused", || Desk { agent: "writer", ..Desk::with(LAST_Z) }, &["1", "stop last z"]);
}

#[test]
fn a_file_that_cannot_be_read_is_shown_with_its_place() {
    snapshot_both!("broken", || Desk::with("{\n  \"a\" 1\n}"), &["validate", "add", "edit", "open last z"]);
}

#[test]
fn a_name_that_is_taken_leads_to_edit() {
    snapshot_both!("taken", || Desk::with(LAST_Z), &["add", " LAST  z ", "yes", "back", "back"]);
}

#[test]
fn a_path_that_does_not_exist_is_warned_about_and_a_shortcut_offers_its_target() {
    let typed = TypedPath { exists: false, shortcut_target: Some(r"C:\Game\Survival.exe".to_owned()) };
    let desk = || Desk { typed_path: Some(typed.clone()), ..Desk::with("{}") };
    snapshot_both!(
        "shortcut",
        desk,
        &["add", "Game", r#""C:\Game.lnk""#, "1", "", "off", "back", "full", "yes"]
    );
}

#[test]
fn an_entry_that_lacks_something_is_completed_before_it_is_saved() {
    snapshot_both!(
        "complete",
        || Desk::with(MIXED),
        &["edit", "Half", "1", "/usr/bin/half2", "off", "yes", "edit", "5", "3", "x", "/p", "full", "yes"]
    );
}

//! The menu of every screen, in both languages: choices as buttons, and lines that do not repeat them.

use std::collections::BTreeSet;

use tarsus_apps::conversation::{Language, Page, Screen, StartScreen, TypedPath};

use super::fixture::{Fixture, MIXED};

/// Replies that lead to every screen, from the start screen of a registry.
const SCRIPTS: &[(Option<&str>, &[&str])] = &[
    (None, &["add"]),
    (Some("{}"), &["add"]),
    (Some("{ broken"), &[]),
    (Some(MIXED), &["validate", "show 5", "99"]),
    (Some(MIXED), &["add", "New", "/new", "", "", "allowlist", "main"]),
    (Some(MIXED), &["add", "last z"]),
    (Some(MIXED), &["edit", "1", "6", "", "", "", "full"]),
    (Some(MIXED), &["policy", "2", "4"]),
    (Some(MIXED), &["delete", "3"]),
    (Some(MIXED), &["open f1refox"]),
    (Some(MIXED), &["stop steam"]),
    (
        Some(
            r#"{"Chrome Beta": {"launch_path": "/b", "mode": "full", "allowed_agents": []},
                "Chrome Dev": {"launch_path": "/d", "mode": "full", "allowed_agents": []}}"#,
        ),
        &["open chrome"],
    ),
];

fn kind(screen: &Screen) -> &'static str {
    match screen {
        Screen::Start { start: StartScreen::Missing, .. } => "start, no file",
        Screen::Start { start: StartScreen::Empty, .. } => "start, no apps",
        Screen::Start { start: StartScreen::Broken(_), .. } => "start, broken",
        Screen::Start { start: StartScreen::Apps { .. }, .. } => "start",
        Screen::Pick { .. } => "pick",
        Screen::Edit(_) => "edit",
        Screen::Policy(_) => "policy",
        Screen::Question { target: Some(_), .. } => "question with a shortcut",
        Screen::Question { .. } => "question",
        Screen::Proposal { .. } => "proposal",
        Screen::Which { .. } => "which",
        Screen::Confirm(_) => "yes or no",
    }
}

/// Pages of every screen, each with the kind of its screen.
fn pages(locale: Language) -> Vec<(&'static str, Page)> {
    let mut pages = Vec::new();
    for (registry, lines) in SCRIPTS {
        let fixture = registry.map_or_else(Fixture::new, Fixture::with);
        let shortcut_target = Some("/opt/game/Survival".to_owned());
        let typed_path = Some(TypedPath { exists: true, shortcut_target });
        let mut fixture = Fixture { locale, typed_path, ..fixture };
        let mut transition = fixture.open();
        for line in lines.iter().map(Some).chain([None]) {
            if let Some(screen) = &transition.reply.screen {
                pages.push((kind(screen), transition.reply.page()));
            }
            if let Some(line) = line {
                transition = fixture.say(line);
            }
        }
    }
    pages
}

fn each_page(check: impl Fn(&str, &Page)) {
    for language in [Language::English, Language::Chinese] {
        for (kind, page) in pages(language) {
            check(&format!("{language:?}, {kind}:\n{page}"), &page);
        }
    }
}

#[test]
fn every_kind_of_screen_is_among_the_pages() {
    for language in [Language::English, Language::Chinese] {
        let kinds: BTreeSet<&str> = pages(language).into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(kinds.len(), 12, "{language:?}: {kinds:?}");
    }
}

#[test]
fn a_menu_offers_each_numbered_choice_with_its_reply() {
    each_page(|context, page| {
        let menu = page.menu().unwrap();
        assert_eq!((&menu.notices, Some(&menu.title)), (&page.notices, page.title.as_ref()), "{context}");
        assert!(!menu.choices.is_empty(), "{context}");
        for line in &page.lines {
            let Some((number, label)) = line.split_once(". ") else { continue };
            if number.parse::<usize>().is_ok() {
                let offered = menu
                    .choices
                    .iter()
                    .any(|choice| choice.reply == number && label.starts_with(&choice.label));
                assert!(offered, "{line:?} of {context}");
            }
        }
    });
}

#[test]
fn no_line_of_a_menu_repeats_a_choice() {
    each_page(|context, page| {
        let menu = page.menu().unwrap();
        for line in &menu.lines {
            for choice in &menu.choices {
                let repeats = *line == format!("{}. {}", choice.reply, choice.label)
                    || *line == format!("- {}", choice.label);
                assert!(!repeats, "{line:?} repeats {choice:?} in {context}");
            }
        }
    });
}

#[test]
fn a_menu_keeps_every_other_line_without_spare_blanks() {
    each_page(|context, page| {
        let menu = page.menu().unwrap();
        let is_blank = |line: Option<&String>| line.is_some_and(String::is_empty);
        assert!(!is_blank(menu.lines.first()) && !is_blank(menu.lines.last()), "{context}");
        assert!(!menu.lines.windows(2).any(|pair| pair.iter().all(String::is_empty)), "{context}");
        for line in page.lines.iter().filter(|line| line.starts_with("- ") && line.contains(": ")) {
            assert!(menu.lines.contains(line), "{line:?} of {context}");
        }
    });
}

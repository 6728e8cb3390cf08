//! Which app a few words mean, in English and Chinese.

use proptest::prelude::*;
use tarsus_apps::{Found, find};

const NAMES: &[&str] = &[
    "Last Z",
    "Firefox",
    "Visual Studio Code",
    "Visual Basic",
    "Notepad++",
    "App Store",
    "Yahoo! Mail",
    "Theatre",
    "微信",
    "企业微信",
    "QQ音乐",
    "重庆银行",
];

fn check(table: &[(&str, Found<'static>)], names: &[&'static str]) {
    for (request, expected) in table {
        assert_eq!(find(request, names.iter().copied()), *expected, "{request:?}");
    }
}

#[test]
fn words_that_name_no_app_find_nothing() {
    let nothing = [
        "",
        " ",
        "...",
        "a",
        "it",
        "z",
        "this",
        "the",
        "please",
        "the app",
        "ast",
        "fox",
        "tudio",
        "信",
        "这个",
        "chrome",
        "the tests in last z",
        "last z settings",
        "微信的文件",
        "notepad++.txt",
    ];
    check(&nothing.map(|request| (request, Found::Nothing)), NAMES);
}

#[test]
fn ordinary_requests_do_not_find_apps_with_ordinary_names() {
    let nothing = ["a", "it", "the file notes.txt", "notes.txt", "the test suite", "my editor of choice"];
    check(&nothing.map(|request| (request, Found::Nothing)), &["Editor", "Test", "Notes"]);
}

#[test]
fn the_same_name_is_found_whatever_its_case_kind_of_characters_and_spaces() {
    let table = [
        ("Last Z", Found::One("Last Z")),
        ("last z", Found::One("Last Z")),
        ("  LAST \t Z ", Found::One("Last Z")),
        ("ｌａｓｔ　ｚ", Found::One("Last Z")),
        ("last-z", Found::One("Last Z")),
        ("\"last z\".", Found::One("Last Z")),
        ("notepad++", Found::One("Notepad++")),
        ("yahoo mail", Found::One("Yahoo! Mail")),
        ("微信", Found::One("微信")),
        ("微信。", Found::One("微信")),
        ("qq 音乐", Found::One("QQ音乐")),
    ];
    check(&table, NAMES);
}

#[test]
fn polite_words_around_a_name_are_left_out_unless_they_are_the_name() {
    let table = [
        ("last z, please", Found::One("Last Z")),
        ("up last z for me now, thank you!", Found::One("Last Z")),
        ("the last z app", Found::One("Last Z")),
        ("app store", Found::One("App Store")),
        ("the app store, please", Found::One("App Store")),
        ("微信一下吧", Found::One("微信")),
        ("一下微信好吗？", Found::One("微信")),
        ("微信这个应用", Found::One("微信")),
        ("my firefox 吧", Found::One("Firefox")),
    ];
    check(&table, NAMES);
}

#[test]
fn a_part_of_a_name_from_a_word_start_finds_it_and_several_are_asked_about() {
    let table = [
        ("fire", Found::One("Firefox")),
        ("last", Found::One("Last Z")),
        ("studio", Found::One("Visual Studio Code")),
        ("studio co", Found::One("Visual Studio Code")),
        ("visual", Found::Several(vec!["Visual Studio Code", "Visual Basic"])),
        ("the visual please", Found::Several(vec!["Visual Studio Code", "Visual Basic"])),
        ("thea", Found::One("Theatre")),
        ("notepad", Found::One("Notepad++")),
        ("音乐", Found::One("QQ音乐")),
        ("qq音", Found::One("QQ音乐")),
        ("企业", Found::One("企业微信")),
        ("银行", Found::One("重庆银行")),
    ];
    check(&table, NAMES);
}

#[test]
fn what_is_only_similar_is_a_suggestion() {
    let table = [
        ("lst z", Found::Suggested(vec!["Last Z"])),
        ("lats z", Found::Suggested(vec!["Last Z"])),
        ("lastz", Found::Suggested(vec!["Last Z"])),
        ("lz", Found::Suggested(vec!["Last Z"])),
        ("vsc", Found::Suggested(vec!["Visual Studio Code"])),
        ("fierfox", Found::Suggested(vec!["Firefox"])),
        ("visual studo coed please", Found::Suggested(vec!["Visual Studio Code"])),
        ("the app stroe please", Found::Suggested(vec!["App Store"])),
        ("weixin", Found::Suggested(vec!["微信", "企业微信"])),
        ("wei xin", Found::Suggested(vec!["微信", "企业微信"])),
        ("qiyeweixin", Found::Suggested(vec!["企业微信"])),
        ("wx", Found::Suggested(vec!["微信"])),
        ("qqyinyue", Found::Suggested(vec!["QQ音乐"])),
        ("chongqingyinhang", Found::Suggested(vec!["重庆银行"])),
        ("cqyh", Found::Suggested(vec!["重庆银行"])),
    ];
    check(&table, NAMES);
    check(&[("lvse", Found::Suggested(vec!["绿色"])), ("ma", Found::Nothing)], &["绿色", "马"]);
}

#[test]
fn the_exact_key_decides_between_names_that_differ_in_case_only() {
    let names = ["last z", "Last Z", "Last Z!"];
    let table = [
        ("Last Z", Found::One("Last Z")),
        ("last z", Found::One("last z")),
        ("LAST Z", Found::Several(vec!["last z", "Last Z"])),
        ("last z!", Found::One("Last Z!")),
        ("last-z", Found::Several(vec!["last z", "Last Z", "Last Z!"])),
    ];
    check(&table, &names);
}

#[test]
fn an_essay_finds_nothing() {
    let long = "please ".repeat(10_000);
    assert_eq!(find(&long, ["Please"]), Found::Nothing);
    assert_eq!(find(&"please ".repeat(100), ["Please"]), Found::Nothing);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_name_finds_itself(names in proptest::collection::vec("\\PC{1,12}|[a-c ]{1,6}|[微信一下吧请]{1,4}", 1..6)) {
        for name in &names {
            prop_assert_eq!(find(name, names.iter().map(String::as_str)), Found::One(name.as_str()));
        }
    }

    #[test]
    fn what_is_found_is_one_of_the_names(request in "\\PC{0,40}|[a-e 微信吧]{0,12}|(please |the |last |z ){0,30}") {
        match find(&request, NAMES.iter().copied()) {
            Found::One(name) => prop_assert!(NAMES.contains(&name)),
            Found::Several(names) => prop_assert!(names.len() > 1 && names.iter().all(|name| NAMES.contains(name))),
            Found::Suggested(names) => prop_assert!((1..=5).contains(&names.len())),
            Found::Nothing => {}
        }
    }
}

//! Which app a few words mean, in English and Chinese.

use proptest::prelude::*;
use tarsus_apps::{AppMatch, find_app};

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

fn check(table: &[(&str, AppMatch<'static>)], names: &[&'static str]) {
    for (request, expected) in table {
        assert_eq!(find_app(request, names.iter().copied()), *expected, "{request:?}");
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
    check(&nothing.map(|request| (request, AppMatch::Nothing)), NAMES);
}

#[test]
fn ordinary_requests_find_no_ordinary_names() {
    let nothing = ["a", "it", "the file notes.txt", "notes.txt", "the test suite", "my editor of choice"];
    check(&nothing.map(|request| (request, AppMatch::Nothing)), &["Editor", "Test", "Notes"]);
}

#[test]
fn name_is_found_in_any_case_width_and_spacing() {
    let table = [
        ("Last Z", AppMatch::One("Last Z")),
        ("last z", AppMatch::One("Last Z")),
        ("  LAST \t Z ", AppMatch::One("Last Z")),
        ("ｌａｓｔ　ｚ", AppMatch::One("Last Z")),
        ("last-z", AppMatch::One("Last Z")),
        ("\"last z\".", AppMatch::One("Last Z")),
        ("notepad++", AppMatch::One("Notepad++")),
        ("yahoo mail", AppMatch::One("Yahoo! Mail")),
        ("微信", AppMatch::One("微信")),
        ("微信。", AppMatch::One("微信")),
        ("qq 音乐", AppMatch::One("QQ音乐")),
    ];
    check(&table, NAMES);
}

#[test]
fn filler_around_a_name_is_ignored() {
    let table = [
        ("last z, please", AppMatch::One("Last Z")),
        ("up last z for me now, thank you!", AppMatch::One("Last Z")),
        ("the last z app", AppMatch::One("Last Z")),
        ("app store", AppMatch::One("App Store")),
        ("the app store, please", AppMatch::One("App Store")),
        ("微信一下吧", AppMatch::One("微信")),
        ("一下微信好吗？", AppMatch::One("微信")),
        ("微信这个应用", AppMatch::One("微信")),
        ("my firefox 吧", AppMatch::One("Firefox")),
    ];
    check(&table, NAMES);
}

#[test]
fn partial_name_matches_at_word_starts() {
    let table = [
        ("fire", AppMatch::One("Firefox")),
        ("last", AppMatch::One("Last Z")),
        ("studio", AppMatch::One("Visual Studio Code")),
        ("studio co", AppMatch::One("Visual Studio Code")),
        ("visual", AppMatch::Several(vec!["Visual Studio Code", "Visual Basic"])),
        ("the visual please", AppMatch::Several(vec!["Visual Studio Code", "Visual Basic"])),
        ("thea", AppMatch::One("Theatre")),
        ("notepad", AppMatch::One("Notepad++")),
        ("音乐", AppMatch::One("QQ音乐")),
        ("qq音", AppMatch::One("QQ音乐")),
        ("企业", AppMatch::One("企业微信")),
        ("银行", AppMatch::One("重庆银行")),
    ];
    check(&table, NAMES);
}

#[test]
fn what_is_only_similar_is_a_suggestion() {
    let table = [
        ("lst z", AppMatch::Suggested(vec!["Last Z"])),
        ("lats z", AppMatch::Suggested(vec!["Last Z"])),
        ("lastz", AppMatch::Suggested(vec!["Last Z"])),
        ("lz", AppMatch::Suggested(vec!["Last Z"])),
        ("vsc", AppMatch::Suggested(vec!["Visual Studio Code"])),
        ("fierfox", AppMatch::Suggested(vec!["Firefox"])),
        ("visual studo coed please", AppMatch::Suggested(vec!["Visual Studio Code"])),
        ("the app stroe please", AppMatch::Suggested(vec!["App Store"])),
        ("weixin", AppMatch::Suggested(vec!["微信", "企业微信"])),
        ("wei xin", AppMatch::Suggested(vec!["微信", "企业微信"])),
        ("qiyeweixin", AppMatch::Suggested(vec!["企业微信"])),
        ("wx", AppMatch::Suggested(vec!["微信"])),
        ("qqyinyue", AppMatch::Suggested(vec!["QQ音乐"])),
        ("chongqingyinhang", AppMatch::Suggested(vec!["重庆银行"])),
        ("cqyh", AppMatch::Suggested(vec!["重庆银行"])),
    ];
    check(&table, NAMES);
    check(&[("lvse", AppMatch::Suggested(vec!["绿色"])), ("ma", AppMatch::Nothing)], &["绿色", "马"]);
}

#[test]
fn exact_name_wins_over_other_case() {
    let names = ["last z", "Last Z", "Last Z!"];
    let table = [
        ("Last Z", AppMatch::One("Last Z")),
        ("last z", AppMatch::One("last z")),
        ("LAST Z", AppMatch::Several(vec!["last z", "Last Z"])),
        ("last z!", AppMatch::One("Last Z!")),
        ("last-z", AppMatch::Several(vec!["last z", "Last Z", "Last Z!"])),
    ];
    check(&table, &names);
}

#[test]
fn an_essay_finds_nothing() {
    let long = "please ".repeat(10_000);
    assert_eq!(find_app(&long, ["Please"]), AppMatch::Nothing);
    assert_eq!(find_app(&"please ".repeat(100), ["Please"]), AppMatch::Nothing);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_name_finds_itself(names in proptest::collection::vec("\\PC{1,12}|[a-c ]{1,6}|[微信一下吧请]{1,4}", 1..6)) {
        for name in &names {
            prop_assert_eq!(find_app(name, names.iter().map(String::as_str)), AppMatch::One(name.as_str()));
        }
    }

    #[test]
    fn what_is_found_is_one_of_the_names(request in "\\PC{0,40}|[a-e 微信吧]{0,12}|(please |the |last |z ){0,30}") {
        match find_app(&request, NAMES.iter().copied()) {
            AppMatch::One(name) => prop_assert!(NAMES.contains(&name)),
            AppMatch::Several(names) => prop_assert!(names.len() > 1 && names.iter().all(|name| NAMES.contains(name))),
            AppMatch::Suggested(names) => prop_assert!((1..=5).contains(&names.len())),
            AppMatch::Nothing => {}
        }
    }
}

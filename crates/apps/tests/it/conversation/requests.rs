//! Requests in plain words while no menu is open, as a chat hears them.

use tarsus_apps::conversation::{Action, Deed, Effect, Event, Field, Language, Said, Screen, YesNo};

use super::desk::{Desk, MIXED};

/// What a line leads to, in one word and a name.
fn heard(desk: &mut Desk, line: &str) -> String {
    desk.effects.clear();
    let stepped = desk.say(line);
    match (desk.effects.first(), stepped.reply.screen) {
        (Some(Effect::Launch { name, .. }), _) => format!("launch {name}"),
        (Some(Effect::Stop { name, .. }), _) => format!("stop {name}"),
        (Some(Effect::Refused { deed: Deed::Launch, denied }), _) => format!("refuse {}", denied.app),
        (Some(Effect::PassOn), _) => "pass on".to_owned(),
        (None, Some(Screen::Which { names, .. })) => format!("which {}", names.join("|")),
        (None, Some(Screen::YesNo(YesNo::Suggested { name, .. }))) => format!("suggest {name}"),
        (None, Some(Screen::Start { .. })) => "menu".to_owned(),
        (None, None) => match stepped.reply.said.first() {
            Some(Said::NotRegistered { .. }) => "not registered".to_owned(),
            Some(Said::Details(app)) => format!("show {}", app.name),
            other => format!("{other:?}"),
        },
        other => format!("{other:?}"),
    }
}

#[test]
fn what_is_not_about_a_registered_app_is_passed_on_when_there_is_a_model() {
    let apps = r#"{
      "Editor": {"launch_path": "/e", "mode": "full", "allowed_agents": []},
      "Test": {"launch_path": "/t", "mode": "full", "allowed_agents": []},
      "Notes": {"launch_path": "/n", "mode": "full", "allowed_agents": []},
      "Last Z": {"launch_path": "/l", "mode": "full", "allowed_agents": []}
    }"#;
    for line in [
        "run a",
        "start it",
        "open the file notes.txt",
        "run the test suite",
        "run the tests in last z",
        "open",
        "quit",
        "back",
        "1",
        "yes",
        "",
        "what is the weather",
        "打开文件",
        "运行全部测试",
    ] {
        let mut desk = Desk { model: true, ..Desk::with(apps) };
        assert_eq!(heard(&mut desk, line), "pass on", "{line}");
        let mut desk = Desk::with(apps);
        heard(&mut desk, line);
        assert!(!desk.effects.iter().any(|effect| matches!(effect, Effect::Launch { .. })), "{line}");
    }
}

#[test]
fn a_registered_name_after_a_verb_is_taken_in_both_languages() {
    let table = [
        ("open last z", "launch Last Z"),
        ("Please LAUNCH last z for me!", "launch Last Z"),
        ("can you start Firefox?", "launch Firefox"),
        ("打开 last z", "launch Last Z"),
        ("请帮我启动一下微信吧", "launch 微信"),
        ("运行微信。", "launch 微信"),
        ("open steam", "refuse Steam"),
        ("open broken", "refuse Broken"),
        ("stop firefox", "stop Firefox"),
        ("quit firefox please", "stop Firefox"),
        ("关闭微信", "stop 微信"),
        ("退出 Firefox", "stop Firefox"),
        ("details of firefox", "show Firefox"),
        ("详情 微信", "show 微信"),
        ("application manager", "menu"),
        ("应用程序管理器", "menu"),
    ];
    for (line, expected) in table {
        for model in [false, true] {
            let mut desk = Desk { model, ..Desk::with(MIXED) };
            assert_eq!(heard(&mut desk, line), expected, "{line}");
            assert_eq!(desk.conversation.is_open(), expected == "menu", "{line}");
        }
    }
}

#[test]
fn a_phrase_goes_straight_to_its_step_in_its_language() {
    let table = [
        ("register an application", "添加应用程序", "ask for Name"),
        ("add application", "注册应用程序", "ask for Name"),
        ("edit application", "编辑应用程序", "pick for Edit"),
        ("change application policy", "更改应用程序策略", "pick for Policy"),
        ("delete application", "删除应用程序", "pick for Delete"),
        ("validate the registry", "验证注册表", "check, then start"),
        ("who can run this app", "谁可以运行此应用", "list, then start"),
        ("list registered apps", "列出已注册的应用", "list, then start"),
        ("show application registry", "显示应用程序注册表", "start"),
    ];
    for (english, chinese, expected) in table {
        for (line, language) in [(english, Language::English), (chinese, Language::Chinese)] {
            let mut desk = Desk { model: true, ..Desk::with(MIXED) };
            let reply = desk.say(line).reply;
            let said = match reply.said.as_slice() {
                [] => "",
                [Said::List { .. }] => "list, then ",
                [Said::Checked(_)] => "check, then ",
                other => panic!("{line}: {other:?}"),
            };
            let screen = match reply.screen {
                Some(Screen::Start { .. }) => "start".to_owned(),
                Some(Screen::Pick { action, .. }) => format!("pick for {action:?}"),
                Some(Screen::Question { action: Action::Add, field: Field::Name, .. }) => {
                    "ask for Name".to_owned()
                }
                other => panic!("{line}: {other:?}"),
            };
            assert_eq!((format!("{said}{screen}").as_str(), reply.language), (expected, language), "{line}");
        }
    }
}

#[test]
fn a_name_that_is_not_registered_is_told_and_the_menu_offered() {
    for (line, expected) in [
        (
            "open Chrome",
            ["No app called \"chrome\" is registered.", "Say `application manager` to open the menu."],
        ),
        ("关闭浏览器", ["没有名为“浏览器”的已注册应用。", "说“应用程序管理器”可打开菜单。"]),
    ] {
        let reply = Desk::with(MIXED).say(line).reply;
        assert_eq!(
            (reply.page().notices.as_slice(), reply.screen),
            (expected.map(str::to_owned).as_slice(), None)
        );
    }
}

#[test]
fn an_entry_is_shown_without_a_launch() {
    for line in [
        "show 2",
        "Show firefox",
        "show fire",
        "details of Firefox",
        "details of 2",
        "详情 2",
        "详情 firefox",
    ] {
        let mut desk = Desk::with(MIXED);
        desk.open();
        let reply = desk.say(line).reply;
        assert!(matches!(reply.said.as_slice(), [Said::Details(app)] if app.name == "Firefox"), "{line}");
        assert!(matches!(reply.screen, Some(Screen::Start { .. })), "{line}");
        assert_eq!(desk.effects, [], "{line}");
    }
    let mut desk = Desk { model: true, ..Desk::with(MIXED) };
    desk.step(Event::Open);
    assert_eq!(heard(&mut desk, "show me the weather"), "pass on");
}

#[test]
fn a_guess_is_only_offered_and_never_taken_from_the_model() {
    let mut desk = Desk::with(MIXED);
    assert_eq!(heard(&mut desk, "open weixin"), "suggest 微信");
    assert_eq!(heard(&mut desk, "yes"), "launch 微信");
    let mut desk = Desk { model: true, ..Desk::with(MIXED) };
    assert_eq!(heard(&mut desk, "open weixin"), "pass on");
    let mut desk = Desk::with(MIXED);
    assert_eq!(heard(&mut desk, "open something else"), "not registered");
}

#[test]
fn several_matches_are_asked_about_and_the_number_means_the_name_shown() {
    let two = r#"{
      "Chrome Beta": {"launch_path": "/b", "mode": "full", "allowed_agents": []},
      "Chrome Dev": {"launch_path": "/d", "mode": "full", "allowed_agents": []}
    }"#;
    let mut desk = Desk::with(two);
    assert_eq!(heard(&mut desk, "open chrome"), "which Chrome Beta|Chrome Dev");
    // Another hand turns the file around: the second name is still the second name.
    desk.write(r#"{"Chrome Dev": {"launch_path": "/d", "mode": "full", "allowed_agents": []}}"#);
    assert_eq!(heard(&mut desk, "2"), "launch Chrome Dev");
    assert!(!desk.conversation.is_open());
}

#[test]
fn outside_the_menu_a_question_may_be_left_unanswered() {
    for question in ["open weixin", "stop steam"] {
        let mut desk = Desk::with(MIXED);
        desk.say(question);
        assert!(desk.conversation.is_open(), "{question}");
        assert_eq!(heard(&mut desk, "open firefox"), "launch Firefox", "{question}");
        assert!(!desk.conversation.is_open(), "{question}");
    }
}

#[test]
fn leftover_agents_under_full_are_warned_about_and_do_not_stop_the_launch() {
    let odd = r#"{"Odd": {"launch_path": "/o", "mode": "full", "allowed_agents": ["x"]}}"#;
    let mut desk = Desk::with(odd);
    assert_eq!(heard(&mut desk, "open odd"), "launch Odd");
    assert!(desk.transcript.contains("Warning: mode is full"), "{}", desk.transcript);
}

#[test]
fn the_language_is_the_one_of_the_words_else_of_the_locale() {
    let table = [
        ("application manager", Language::Chinese, Language::English),
        ("应用程序管理器", Language::English, Language::Chinese),
        ("打开 last z", Language::English, Language::Chinese),
    ];
    for (line, locale, expected) in table {
        let mut desk = Desk { locale, ..Desk::with(MIXED) };
        assert_eq!(desk.say(line).reply.language, expected, "{line}");
    }
    let mut desk = Desk { locale: Language::Chinese, ..Desk::with(MIXED) };
    assert_eq!(desk.open().reply.language, Language::Chinese);
    assert_eq!(desk.say("stop firefox").reply.language, Language::Chinese);
}

#[test]
fn a_conversation_ends_silently_after_fifteen_idle_minutes() {
    let mut desk = Desk { model: true, ..Desk::with(MIXED) };
    let idle = 15 * 60 * 1_000;
    desk.say("application manager");
    desk.at_ms += idle;
    assert_eq!(heard(&mut desk, "2"), "launch Firefox");
    assert!(desk.conversation.is_open());
    desk.at_ms += idle + 1;
    assert_eq!(heard(&mut desk, "2"), "pass on");
    assert!(!desk.conversation.is_open());
}

#[test]
fn at_the_start_screen_other_text_goes_to_the_model_and_the_menu_stays() {
    let mut desk = Desk { model: true, ..Desk::with(MIXED) };
    desk.say("application manager");
    assert_eq!(heard(&mut desk, "what is the weather?"), "pass on");
    assert_eq!(heard(&mut desk, "run the test suite"), "pass on");
    assert_eq!(heard(&mut desk, "2"), "launch Firefox");
}

#[test]
fn without_a_file_a_request_says_so_and_offers_to_create_it() {
    let mut desk = Desk::new();
    assert_eq!(heard(&mut desk, "open last z"), "menu");
    assert!(desk.transcript.contains("Status: not created yet"));
    let mut desk = Desk { model: true, ..Desk::new() };
    assert_eq!(heard(&mut desk, "open last z"), "pass on");
}

#[test]
fn words_that_only_resemble_a_name_launch_nothing() {
    let entry = r#"{"launch_path": "/x", "mode": "full", "allowed_agents": []}"#;
    let apps = format!(r#"{{"Editor": {entry}, "Test": {entry}, "Notes": {entry}}}"#);
    for line in [
        "run a",
        "start it",
        "open the file notes.txt",
        "run the test suite",
        "run the tests in editor",
        "open something",
        "start the app",
        "打开它",
        "运行测试 test 套件",
        "打开文件 notes.txt",
    ] {
        for (model, menu) in [(false, false), (false, true), (true, false), (true, true)] {
            let mut desk = Desk { model, ..Desk::with(&apps) };
            if menu {
                desk.open();
            }
            desk.say(line);
            let launched = desk.effects.iter().any(|effect| matches!(effect, Effect::Launch { .. }));
            assert!(!launched, "{line} model {model} menu {menu}\n{}", desk.transcript);
        }
    }
}

//! Requests in plain language while no menu is open, as in a chat.

use tarsus_apps::conversation::{
    AppVerb, Confirmation, ConversationEvent, Effect, EntryAction, EntryField, Language, Notice, Screen,
};

use super::fixture::{Fixture, MIXED};

/// The result of a line, as one word and a name.
fn result_of(fixture: &mut Fixture, line: &str) -> String {
    fixture.effects.clear();
    let transition = fixture.say(line);
    match (fixture.effects.first(), transition.reply.screen) {
        (Some(Effect::Launch(allowed)), _) => format!("launch {}", allowed.app()),
        (Some(Effect::Stop(allowed)), _) => format!("stop {}", allowed.app()),
        (Some(Effect::Refused { verb: AppVerb::Launch, denied }), _) => format!("refuse {}", denied.app),
        (Some(Effect::PassOn), _) => "pass on".to_owned(),
        (None, Some(Screen::Which { names, .. })) => format!("which {}", names.join("|")),
        (None, Some(Screen::Confirm(Confirmation::Suggested { name, .. }))) => format!("suggest {name}"),
        (None, Some(Screen::Start { .. })) => "menu".to_owned(),
        (None, Some(Screen::Edit(app))) => format!("edit {}", app.name),
        (None, Some(Screen::Policy(app))) => format!("policy {}", app.name),
        (None, Some(Screen::Proposal { action: EntryAction::Delete, before: Some(app), .. })) => {
            format!("delete {}", app.name)
        }
        (None, None) => match transition.reply.notices.first() {
            Some(Notice::NotRegistered { .. }) => "not registered".to_owned(),
            Some(Notice::Details(app)) => format!("show {}", app.name),
            Some(Notice::WhoMayLaunch(row)) => format!("who {}", row.name),
            other => format!("{other:?}"),
        },
        other => format!("{other:?}"),
    }
}

#[test]
fn other_text_is_passed_on_if_there_is_a_model() {
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
        let mut fixture = Fixture { model: true, ..Fixture::with(apps) };
        assert_eq!(result_of(&mut fixture, line), "pass on", "{line}");
        let mut fixture = Fixture::with(apps);
        result_of(&mut fixture, line);
        assert!(!fixture.effects.iter().any(|effect| matches!(effect, Effect::Launch(_))), "{line}");
    }
}

#[test]
fn verb_with_a_registered_name_works_in_both_languages() {
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
            let mut fixture = Fixture { model, ..Fixture::with(MIXED) };
            assert_eq!(result_of(&mut fixture, line), expected, "{line}");
            assert_eq!(fixture.conversation.is_open(), expected == "menu", "{line}");
        }
    }
}

#[test]
fn phrase_leads_to_its_step_in_its_language() {
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
            let mut fixture = Fixture { model: true, ..Fixture::with(MIXED) };
            let reply = fixture.say(line).reply;
            let notices = match reply.notices.as_slice() {
                [] => "",
                [Notice::List { .. }] => "list, then ",
                [Notice::Checked(_)] => "check, then ",
                other => panic!("{line}: {other:?}"),
            };
            let screen = match reply.screen {
                Some(Screen::Start { .. }) => "start".to_owned(),
                Some(Screen::Pick { action, .. }) => format!("pick for {action:?}"),
                Some(Screen::Question { action: EntryAction::Add, field: EntryField::Name, .. }) => {
                    "ask for Name".to_owned()
                }
                other => panic!("{line}: {other:?}"),
            };
            assert_eq!(
                (format!("{notices}{screen}").as_str(), reply.language),
                (expected, language),
                "{line}"
            );
        }
    }
}

#[test]
fn unregistered_name_is_reported_with_the_menu() {
    for (line, expected) in [
        (
            "open Chrome",
            ["No app called \"chrome\" is registered.", "Say `application manager` to open the menu."],
        ),
        ("关闭浏览器", ["没有注册名为“浏览器”的应用程序。", "发送“应用程序管理器”可打开菜单。"]),
    ] {
        let reply = Fixture::with(MIXED).say(line).reply;
        assert_eq!(
            (reply.page().notices.as_slice(), reply.screen),
            (expected.map(str::to_owned).as_slice(), None)
        );
    }
}

#[test]
fn entry_is_shown_without_a_launch() {
    for line in [
        "show 2",
        "Show firefox",
        "show fire",
        "details of Firefox",
        "details of 2",
        "详情 2",
        "详情 firefox",
    ] {
        let mut fixture = Fixture::with(MIXED);
        fixture.open();
        let reply = fixture.say(line).reply;
        assert!(
            matches!(reply.notices.as_slice(), [Notice::Details(app)] if app.name == "Firefox"),
            "{line}"
        );
        assert!(matches!(reply.screen, Some(Screen::Start { .. })), "{line}");
        assert_eq!(fixture.effects, [], "{line}");
    }
    let mut fixture = Fixture { model: true, ..Fixture::with(MIXED) };
    fixture.step(ConversationEvent::Open);
    assert_eq!(result_of(&mut fixture, "show me the weather"), "pass on");
}

#[test]
fn suggestion_needs_confirmation_and_yields_to_the_model() {
    let mut fixture = Fixture::with(MIXED);
    assert_eq!(result_of(&mut fixture, "open weixin"), "suggest 微信");
    assert_eq!(result_of(&mut fixture, "yes"), "launch 微信");
    let mut fixture = Fixture { model: true, ..Fixture::with(MIXED) };
    assert_eq!(result_of(&mut fixture, "open weixin"), "pass on");
    let mut fixture = Fixture::with(MIXED);
    assert_eq!(result_of(&mut fixture, "open something else"), "not registered");
}

#[test]
fn several_matches_are_asked_about() {
    let two = r#"{
      "Chrome Beta": {"launch_path": "/b", "mode": "full", "allowed_agents": []},
      "Chrome Dev": {"launch_path": "/d", "mode": "full", "allowed_agents": []}
    }"#;
    let mut fixture = Fixture::with(two);
    assert_eq!(result_of(&mut fixture, "open chrome"), "which Chrome Beta|Chrome Dev");
    // Another hand turns the file around: the second name is still the second name.
    fixture.write(r#"{"Chrome Dev": {"launch_path": "/d", "mode": "full", "allowed_agents": []}}"#);
    assert_eq!(result_of(&mut fixture, "2"), "launch Chrome Dev");
    assert!(!fixture.conversation.is_open());
}

#[test]
fn question_outside_the_menu_may_be_ignored() {
    for question in ["open weixin", "stop steam"] {
        let mut fixture = Fixture::with(MIXED);
        fixture.say(question);
        assert!(fixture.conversation.is_open(), "{question}");
        assert_eq!(result_of(&mut fixture, "open firefox"), "launch Firefox", "{question}");
        assert!(!fixture.conversation.is_open(), "{question}");
    }
}

#[test]
fn leftover_agents_under_full_are_warned_about() {
    let odd = r#"{"Odd": {"launch_path": "/o", "mode": "full", "allowed_agents": ["x"]}}"#;
    let mut fixture = Fixture::with(odd);
    assert_eq!(result_of(&mut fixture, "open odd"), "launch Odd");
    assert!(fixture.transcript.contains("Warning: mode is full"), "{}", fixture.transcript);
}

#[test]
fn language_is_that_of_the_text_else_of_the_locale() {
    let table = [
        ("application manager", Language::Chinese, Language::English),
        ("应用程序管理器", Language::English, Language::Chinese),
        ("打开 last z", Language::English, Language::Chinese),
    ];
    for (line, locale, expected) in table {
        let mut fixture = Fixture { locale, ..Fixture::with(MIXED) };
        assert_eq!(fixture.say(line).reply.language, expected, "{line}");
    }
    let mut fixture = Fixture { locale: Language::Chinese, ..Fixture::with(MIXED) };
    assert_eq!(fixture.open().reply.language, Language::Chinese);
    assert_eq!(fixture.say("stop 2").reply.language, Language::Chinese, "a command of the menu");
}

#[test]
fn request_in_an_open_menu_is_answered_in_its_language() {
    use Language::{Chinese, English};
    for (locale, lines) in [
        (
            English,
            [("打开 firefox", Chinese), ("2", Chinese), ("open last z", English), ("stop firefox", English)],
        ),
        (
            Chinese,
            [("open firefox", English), ("2", English), ("谁可以运行 Last Z", Chinese), ("stop 2", Chinese)],
        ),
        (
            English,
            [("编辑", Chinese), ("返回", Chinese), ("validate", Chinese), ("who can run steam", English)],
        ),
        (Chinese, [("add", Chinese), ("Notes 2", Chinese), ("back", Chinese), ("退出", Chinese)]),
        (
            English,
            [("你好", Chinese), ("hello", Chinese), ("show steam", English), ("打开 没有的应用", Chinese)],
        ),
        (English, [("stop steam", English), ("否", Chinese), ("manage apps", English), ("删除 2", Chinese)]),
    ] {
        let mut fixture = Fixture { locale, ..Fixture::with(MIXED) };
        fixture.open();
        for (line, expected) in lines {
            assert_eq!(fixture.say(line).reply.language, expected, "{line}");
        }
    }
    let mut fixture = Fixture { model: true, ..Fixture::with(MIXED) };
    fixture.say("application manager");
    assert_eq!(result_of(&mut fixture, "打开天气预报"), "pass on");
    assert_eq!(fixture.say("2").reply.language, English, "text for the model changes nothing");
}

#[test]
fn entry_requests_with_a_name_work_in_both_languages() {
    let table = [
        ("who can run last z", "who Last Z"),
        ("Who may launch Last Z?", "who Last Z"),
        ("who is allowed to open firefox", "who Firefox"),
        ("which agents can start steam", "who Steam"),
        ("can you tell me who's allowed to use last z", "who Last Z"),
        ("show me the policy of last z", "who Last Z"),
        ("edit last z", "edit Last Z"),
        ("Please edit Last Z.", "edit Last Z"),
        ("could you change the last z app", "edit Last Z"),
        ("edit the entry of Half", "edit Half"),
        ("modify the app called Last Z", "edit Last Z"),
        ("remove last z from my apps", "delete Last Z"),
        ("change who may run steam", "policy Steam"),
        ("delete last z", "delete Last Z"),
        ("remove steam from the registry", "delete Steam"),
        ("unregister 微信", "delete 微信"),
        ("change the policy of last z", "policy Last Z"),
        ("set Last Z's launch policy", "policy Last Z"),
        ("change firefox policy", "policy Firefox"),
        ("show last z", "show Last Z"),
        ("show me last z please", "show Last Z"),
        ("show the details of last z", "show Last Z"),
        ("manage apps", "menu"),
        ("manage my applications", "menu"),
        ("谁可以运行 Last Z", "who Last Z"),
        ("谁能启动微信？", "who 微信"),
        ("哪些智能体可以打开 firefox", "who Firefox"),
        ("微信谁可以运行", "who 微信"),
        ("查看微信的策略", "who 微信"),
        ("编辑 last z", "edit Last Z"),
        ("请帮我修改一下微信", "edit 微信"),
        ("编辑微信的条目", "edit 微信"),
        ("删除名为微信的应用程序", "delete 微信"),
        ("把微信删了吧", "delete 微信"),
        ("改一下微信的策略", "policy 微信"),
        ("谁可以用微信呢", "who 微信"),
        ("编辑应用程序 Last Z", "edit Last Z"),
        ("管理我的应用", "menu"),
        ("删除 Last Z", "delete Last Z"),
        ("请把微信删除", "delete 微信"),
        ("把 last z 从注册表中移除吧", "delete Last Z"),
        ("更改微信的策略", "policy 微信"),
        ("修改 Last Z 的启动策略", "policy Last Z"),
        ("显示 last z", "show Last Z"),
        ("查看一下微信", "show 微信"),
        ("微信的详情", "show 微信"),
        ("管理应用", "menu"),
        ("管理一下应用程序", "menu"),
        ("把微信打开一下", "launch 微信"),
        ("帮我把 firefox 关闭", "stop Firefox"),
    ];
    for (line, expected) in table {
        for model in [false, true] {
            let mut fixture = Fixture { model, ..Fixture::with(MIXED) };
            assert_eq!(result_of(&mut fixture, line), expected, "{line}");
            let mut fixture = Fixture { model, ..Fixture::with(MIXED) };
            fixture.open();
            let in_menu = result_of(&mut fixture, line);
            // In the menu, the start screen follows an answer.
            let expected =
                if expected.starts_with("who") || expected.starts_with("show") { "menu" } else { expected };
            assert_eq!(in_menu, expected, "{line}");
        }
    }
}

#[test]
fn ordinary_sentences_about_entries_go_to_the_model() {
    let entry = r#"{"launch_path": "/x", "mode": "full", "allowed_agents": []}"#;
    let names =
        ["Weather", "File Manager", "Text Editor", "Notes", "Calendar", "Last Z", "文件管理器", "日历本"];
    let apps: Vec<String> = names.iter().map(|name| format!("\"{name}\": {entry}")).collect();
    let apps = format!("{{{}}}", apps.join(","));
    for line in [
        "show me the weather",
        "show me the weather in Berlin",
        "delete the file",
        "delete the files in my downloads folder",
        "edit this text",
        "edit text",
        "edit my notes",
        "delete it",
        "remove the last line",
        "change the last paragraph",
        "show the calendar for tomorrow",
        "remove my calendar",
        "show me how to open last z",
        "who can run a marathon",
        "who can run this test",
        "who is allowed to open the file",
        "policy of truth",
        "change policy",
        "manage my time",
        "manage apps on my phone",
        "delete all apps from my phone",
        "显示天气",
        "查看文件",
        "编辑这段文字",
        "删除文件",
        "把文件删除",
        "删除这个日历本",
        "谁可以运行马拉松",
        "谁可以运行这个测试",
        "管理我的时间",
        "更改密码策略",
        "修改一下这句话",
        "显示它",
    ] {
        for menu in [false, true] {
            let mut fixture = Fixture { model: true, ..Fixture::with(&apps) };
            if menu {
                fixture.open();
            }
            assert_eq!(result_of(&mut fixture, line), "pass on", "{line}, menu {menu}");
        }
    }
    for (line, expected) in [("delete the file", "suggest File Manager"), ("编辑文件", "suggest 文件管理器")]
    {
        assert_eq!(result_of(&mut Fixture::with(&apps), line), expected, "without a model");
    }
    let mut fixture = Fixture { model: true, ..Fixture::with(&apps) };
    assert_eq!(result_of(&mut fixture, "delete the calendar app"), "delete Calendar");
    assert_eq!(fixture.say("no").reply.notices, [Notice::NotSaved { action: EntryAction::Delete }]);
}

#[test]
fn chinese_words_work_like_those_of_the_menu() {
    for (word, chinese) in [
        ("add", "添加"),
        ("edit", "编辑"),
        ("edit", "修改。"),
        ("delete", "删除"),
        ("policy", "策略"),
        ("validate", "验证"),
        ("edit 2", "编辑 2"),
        ("delete 2", "删除2"),
        ("policy 2", "策略 2"),
        ("show 2", "查看 2"),
        ("2", "打开 2"),
    ] {
        for locale in [Language::English, Language::Chinese] {
            let reply = |line: &str| {
                let mut fixture = Fixture { locale, model: true, ..Fixture::with(MIXED) };
                fixture.say("application manager");
                let transition = fixture.say(line);
                (format!("{:?} {:?}", transition.reply.notices, transition.reply.screen), fixture.effects)
            };
            assert_eq!(reply(word), reply(chinese), "{chinese}");
        }
    }
    let mut fixture = Fixture::new();
    fixture.open();
    assert_eq!(fixture.say("创建").reply.notices, [Notice::Created]);
    let mut fixture = Fixture::with(MIXED);
    fixture.open();
    for line in ["添加", "日历", "/bin/x", "跳过", "跳过", "全部", "是"] {
        fixture.say(line);
    }
    assert!(fixture.file().contains("日历"), "{}", fixture.transcript);
}

#[test]
fn conversation_ends_after_fifteen_idle_minutes() {
    let mut fixture = Fixture { model: true, ..Fixture::with(MIXED) };
    let idle = 15 * 60 * 1_000;
    fixture.say("application manager");
    fixture.at_ms += idle;
    assert_eq!(result_of(&mut fixture, "2"), "launch Firefox");
    assert!(fixture.conversation.is_open());
    fixture.at_ms += idle + 1;
    assert_eq!(result_of(&mut fixture, "2"), "pass on");
    assert!(!fixture.conversation.is_open());
}

#[test]
fn other_text_at_the_start_screen_goes_to_the_model() {
    let mut fixture = Fixture { model: true, ..Fixture::with(MIXED) };
    fixture.say("application manager");
    assert_eq!(result_of(&mut fixture, "what is the weather?"), "pass on");
    assert_eq!(result_of(&mut fixture, "run the test suite"), "pass on");
    assert_eq!(result_of(&mut fixture, "2"), "launch Firefox");
}

#[test]
fn request_without_a_file_offers_to_create_it() {
    let mut fixture = Fixture::new();
    assert_eq!(result_of(&mut fixture, "open last z"), "menu");
    assert!(fixture.transcript.contains("Status: not created yet"));
    let mut fixture = Fixture { model: true, ..Fixture::new() };
    assert_eq!(result_of(&mut fixture, "open last z"), "pass on");
}

#[test]
fn words_that_resemble_a_name_launch_nothing() {
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
            let mut fixture = Fixture { model, ..Fixture::with(&apps) };
            if menu {
                fixture.open();
            }
            fixture.say(line);
            let launched = fixture.effects.iter().any(|effect| matches!(effect, Effect::Launch(_)));
            assert!(!launched, "{line} model {model} menu {menu}\n{}", fixture.transcript);
        }
    }
}

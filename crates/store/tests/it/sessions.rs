//! Sessions, their transcripts and runs: what is written comes back, what cannot be is refused and says why.

use crate::scene::{Scene, answer_of, items, key, lines, new_message, run, said};
use serde_json::json;
use tarsus_protocol::exec::{Ask, ExecHost, Reasoning, Security, ThinkingLevel};
use tarsus_protocol::{Block, ErrorCode, Message, Problem, Role};
use tarsus_store::{
    Accepted, ConversationState, DaySpent, Durability, History, NameError, NewItem, Outcome, Patch,
    PreviewItem, RunId, RunState, SessionKey, SessionQuery, Settings, Speaker, Spent, Start, StoreError,
    Usage,
};

const MAIN: &str = "agent:main:main";

#[test]
fn names_are_parsed_or_refused() {
    let long = "x".repeat(600);
    for (text, parsed) in [
        ("agent:main:main", Some("agent:main:main")),
        (" agent:MAIN:Telegram:Ada ", Some("agent:main:Telegram:Ada")),
        ("agent:main:天气", Some("agent:main:天气")),
        ("agent:main:", None),
        ("agent::main", None),
        ("agent:a b:main", None),
        ("main", None),
        ("", None),
        ("user:main:main", None),
        ("agent:main:a\u{0}b", None),
        ("agent:main:a\nb", None),
        (&format!("agent:main:{long}"), None),
    ] {
        let key = text.parse::<SessionKey>();
        assert_eq!(key.as_ref().map(SessionKey::as_str), parsed.ok_or(&NameError::SessionKey), "{text:?}");
    }
    for (text, good) in [("a", true), (" kept ", true), ("", false), ("a\tb", false), (&long, false)] {
        let run = text.parse::<RunId>();
        assert_eq!(run.as_ref().map(RunId::as_str), if good { Ok(text) } else { Err(&NameError::RunId) });
    }
}

#[test]
fn a_message_is_accepted_once_and_its_key_finds_the_first_run() {
    let scene = Scene::new();
    let store = scene.open();
    let Accepted::New { number, run: begun } =
        store.accept(new_message(MAIN, "r1", "hello", 5)).wait().unwrap()
    else {
        panic!("it is new")
    };
    assert_eq!((number, begun.state, begun.started_ms, begun.ended_ms), (1, RunState::Started, 5, None));
    let again = store.accept(new_message(MAIN, "r1", "another text", 6)).wait().unwrap();
    assert_eq!(again, Accepted::Already(begun.clone()));
    assert_eq!(lines(&store, MAIN), [(1, "hello".to_owned())]);

    let elsewhere = store.accept(new_message("agent:ops:main", "r1", "hello", 7)).wait().unwrap_err();
    let problem = Problem::from(elsewhere);
    assert_eq!(
        (problem.code, problem.message.as_str()),
        (ErrorCode::Usage, "the key r1 was used in the session agent:main:main already")
    );
    assert_eq!(store.session(&key("agent:ops:main")).unwrap(), None, "a refused message begins no session");
    assert_eq!(store.run(&run("r1")).unwrap(), Some(begun));
    assert_eq!(store.run(&run("r2")).unwrap(), None);
}

#[test]
fn a_run_ends_once_and_its_first_end_stands() {
    let scene = Scene::new();
    let store = scene.open();
    let long = "é".repeat(8_000);
    for (id, first, state, error) in [
        ("a", Outcome::Finished, RunState::Finished, None),
        ("b", Outcome::Failed("no model".to_owned()), RunState::Failed, Some("no model".to_owned())),
        ("c", Outcome::Aborted, RunState::Aborted, None),
        (
            "d",
            Outcome::Failed(long),
            RunState::Failed,
            Some(format!("{} … (7808 more bytes were cut)", "é".repeat(4_096))),
        ),
    ] {
        store.accept(new_message(MAIN, id, "go", 10)).wait().unwrap();
        let ended = store.finish(run(id), first, 20, Durability::KillSafe).wait().unwrap();
        assert_eq!((ended.state, ended.ended_ms, ended.error.clone()), (state, Some(20), error));
        let again = store.finish(run(id), Outcome::Aborted, 30, Durability::KillSafe).wait().unwrap();
        assert_eq!(again, ended);
        assert_eq!(store.run(&run(id)).unwrap(), Some(ended));
    }
    let unknown = store.finish(run("e"), Outcome::Aborted, 30, Durability::KillSafe).wait().unwrap_err();
    assert_eq!(Problem::from(unknown).code, ErrorCode::NotFound);
}

#[test]
fn the_last_item_of_a_run_is_written_with_its_end_or_not_at_all() {
    let scene = Scene::new();
    let store = scene.open();
    store.accept(new_message(MAIN, "r", "go", 10)).wait().unwrap();
    let conclude = |item: NewItem, id: &str, outcome| {
        store.conclude(item, run(id), outcome, None, Durability::KillSafe).wait()
    };
    // The item alone could be written, and so could the end.
    let no_run = conclude(answer_of(MAIN, None, "lost", 11), "unknown", Outcome::Finished).unwrap_err();
    let no_session =
        conclude(answer_of("agent:no:body", None, "lost", 11), "r", Outcome::Finished).unwrap_err();
    assert_eq!(
        [Problem::from(no_run).code, Problem::from(no_session).code],
        [ErrorCode::NotFound, ErrorCode::NotFound]
    );
    assert_eq!(lines(&store, MAIN), [(1, "go".to_owned())]);
    assert_eq!(store.run(&run("r")).unwrap().unwrap().state, RunState::Started);
    assert_eq!(conclude(answer_of(MAIN, Some("r"), "done", 12), "r", Outcome::Finished).unwrap(), 2);
    let ended = store.run(&run("r")).unwrap().unwrap();
    assert_eq!((ended.state, ended.ended_ms), (RunState::Finished, Some(12)));
    assert_eq!(lines(&store, MAIN), [(1, "go".to_owned()), (2, "done".to_owned())]);
}

#[test]
fn what_is_accepted_after_a_message_that_begins_anew_belongs_to_the_new_transcript() {
    let scene = Scene::new();
    let store = scene.open();
    store.accept(new_message(MAIN, "before", "one", 1)).wait().unwrap();
    let anew = new_message(MAIN, "anew", "/new", 2);
    let Accepted::New { run: begun, .. } = store.accept_and_reset(anew.clone()).wait().unwrap() else {
        panic!("it is new")
    };
    let after = store.accept(new_message(MAIN, "after", "two", 3)).wait().unwrap();
    let session = store.session(&key(MAIN)).unwrap().unwrap();
    assert!(matches!(after, Accepted::New { run, .. } if run.session_id == session.session_id));
    assert_ne!(begun.session_id, session.session_id);
    assert_eq!(lines(&store, MAIN), [(3, "two".to_owned())]);
    // The same once more is known, and begins nothing.
    assert!(matches!(store.accept_and_reset(anew).wait().unwrap(), Accepted::Already(_)));
    assert_eq!(store.session(&key(MAIN)).unwrap().unwrap().session_id, session.session_id);
}

#[test]
fn an_item_needs_its_session_and_its_run() {
    let scene = Scene::new();
    let store = scene.open();
    store.accept(new_message(MAIN, "r1", "hello", 1)).wait().unwrap();
    store.accept(new_message("agent:ops:main", "r2", "hello", 1)).wait().unwrap();
    let append = |new: NewItem| store.append(new, Durability::KillSafe).wait();
    for (session, run_id, message) in [
        ("agent:nobody:main", None, "there is no session agent:nobody:main"),
        (MAIN, Some("r3"), "there is no run r3 in that session"),
        (MAIN, Some("r2"), "there is no run r2 in that session"),
    ] {
        let error = append(answer_of(session, run_id, "hi", 2)).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    assert_eq!(append(answer_of(MAIN, Some("r1"), "hi", 2)).unwrap(), 3, "a refused item takes no number");
    assert_eq!(append(answer_of(MAIN, None, "by the way", 3)).unwrap(), 4);
    let found: Vec<_> =
        items(&store, MAIN).into_iter().map(|item| (item.number, item.run, item.speaker)).collect();
    assert_eq!(
        found,
        [
            (1, Some(run("r1")), Speaker::User),
            (3, Some(run("r1")), Speaker::Assistant),
            (4, None, Speaker::Assistant)
        ]
    );
}

#[test]
fn every_kind_of_message_comes_back_as_it_was() {
    let scene = Scene::new();
    let store = scene.open();
    store.patch(key(MAIN), Patch::default(), 1).wait().unwrap();
    let messages: Vec<Message> = [
        json!({"role": "user", "content": [{"type": "image", "data": "aGk=", "mimeType": "image/png"}], "timestamp": 5}),
        json!({"role": "assistant", "content": [
            {"type": "thinking", "thinking": "hm", "thinkingSignature": "seal"},
            {"type": "toolCall", "id": "c", "name": "read", "arguments": {"path": "a\u{0}\"\\ \u{1f99e}", "n": 1.5}},
            {"type": "from-the-future", "kept": [null, {"b": 1, "a": 2}]}
        ]}),
        json!({"role": "toolResult", "content": [], "toolCallId": "c", "toolName": "read", "isError": true, "details": null}),
        json!({"role": "system", "content": "rules"}),
        json!({"role": "custom", "customType": "run-failed-before-reply", "content": ""}),
    ]
    .into_iter()
    .map(|value| serde_json::from_value(value).unwrap())
    .collect();
    for message in &messages {
        let new = NewItem { session: key(MAIN), run: None, message: message.clone(), at_ms: 2 };
        store.append(new, Durability::KillSafe).wait().unwrap();
    }
    let (speakers, kept): (Vec<_>, Vec<_>) =
        items(&store, MAIN).into_iter().map(|item| (item.speaker, item.message)).unzip();
    assert_eq!(kept, messages);
    assert_eq!(speakers, [Speaker::User, Speaker::Assistant, Speaker::Tool, Speaker::System, Speaker::Other]);
}

#[test]
fn history_starts_where_it_is_asked_to_and_says_whether_there_is_more() {
    let scene = Scene::new();
    let store = scene.open();
    store.accept(new_message(MAIN, "r", "1", 1)).wait().unwrap();
    store.accept(new_message("agent:ops:main", "other", "2", 1)).wait().unwrap();
    for number in 3..=7 {
        store.append(answer_of(MAIN, None, &number.to_string(), 1), Durability::KillSafe).wait().unwrap();
    }
    let table: &[(Start, usize, &[u64], bool)] = &[
        (Start::Newest, 50, &[1, 3, 4, 5, 6, 7], false),
        (Start::Newest, 6, &[1, 3, 4, 5, 6, 7], false),
        (Start::Newest, 2, &[6, 7], true),
        (Start::Newest, 0, &[], true),
        (Start::Before(6), 2, &[4, 5], true),
        (Start::Before(4), 2, &[1, 3], false),
        (Start::Before(0), 2, &[], false),
        (Start::After(0), 2, &[1, 3], true),
        (Start::After(2), 2, &[3, 4], true),
        (Start::After(5), 2, &[6, 7], false),
        (Start::After(7), 2, &[], false),
        (Start::After(u64::MAX), usize::MAX, &[], false),
    ];
    for (start, limit, numbers, more) in table {
        let wanted = History { start: *start, limit: *limit, ..History::of(key(MAIN)) };
        let page = store.history(&wanted).unwrap().unwrap();
        let found: Vec<_> = page.items.iter().map(|item| item.number).collect();
        assert_eq!((found.as_slice(), page.more, page.total), (*numbers, *more, 6), "{start:?} {limit}");
    }
    assert_eq!(store.history(&History::of(key("agent:nobody:main"))).unwrap(), None);
}

#[test]
fn a_page_of_large_messages_ends_before_it_fills_the_memory() {
    let scene = Scene::new();
    let store = scene.open();
    store.patch(key(MAIN), Patch::default(), 1).wait().unwrap();
    let large = "x".repeat(7 * 1024 * 1024);
    for _ in 0..4 {
        store.append(answer_of(MAIN, None, &large, 1), Durability::KillSafe).wait().unwrap();
    }
    let numbers = |start| {
        let page = store.history(&History { start, ..History::of(key(MAIN)) }).unwrap().unwrap();
        (page.items.iter().map(|item| item.number).collect::<Vec<_>>(), page.more)
    };
    assert_eq!(numbers(Start::Newest), (vec![3, 4], true));
    assert_eq!(numbers(Start::Before(3)), (vec![1, 2], false));
    assert_eq!(numbers(Start::After(0)), (vec![1, 2], true));
}

#[test]
fn a_reset_begins_anew_and_keeps_what_was_said() {
    let scene = Scene::new();
    let store = scene.open();
    store.accept(new_message(MAIN, "old", "before", 1)).wait().unwrap();
    let label = Patch { label: Some(Some("Notes".parse().unwrap())), ..Patch::default() };
    let first = store.patch(key(MAIN), label, 2).wait().unwrap();
    let state = json!({"screen": "menu"});
    store.set_conversation(key(MAIN), Some(&state), 3, Durability::KillSafe).wait().unwrap();

    let second = store.reset(key(MAIN), 4).wait().unwrap();
    assert_ne!(second.session_id, first.session_id);
    assert_eq!(
        (second.label.clone(), second.created_ms, second.updated_ms, second.items),
        (first.label, 1, 4, 0)
    );
    assert_eq!(store.conversation(&key(MAIN)).unwrap(), None);
    assert_eq!(lines(&store, MAIN), []);

    // A run of before the reset goes on in its own transcript.
    store.append(answer_of(MAIN, Some("old"), "late", 5), Durability::KillSafe).wait().unwrap();
    store.accept(new_message(MAIN, "new", "after", 6)).wait().unwrap();
    assert_eq!(lines(&store, MAIN), [(3, "after".to_owned())]);
    let told: Vec<_> = store
        .transcripts(&key(MAIN))
        .unwrap()
        .into_iter()
        .map(|transcript| (transcript.session_id, transcript.begun_ms, transcript.items))
        .collect();
    assert_eq!(told, [(first.session_id.clone(), 1, 2), (second.session_id.clone(), 4, 1)]);
    let of_before = History { session_id: Some(first.session_id), ..History::of(key(MAIN)) };
    let page = store.history(&of_before).unwrap().unwrap();
    assert_eq!(page.items.iter().map(|item| item.number).collect::<Vec<_>>(), [1, 2]);
    let elsewhere = History { session: key("agent:ops:main"), ..of_before };
    assert_eq!(store.history(&elsewhere).unwrap(), None);

    let begun = store.reset(key("agent:ops:main"), 7).wait().unwrap();
    assert_eq!((begun.created_ms, begun.items), (7, 0), "a reset begins a session that was not there");
}

#[test]
fn a_deleted_session_is_gone_and_its_numbers_are_not_given_again() {
    let scene = Scene::new();
    let store = scene.open();
    store.accept(new_message(MAIN, "r1", "one", 1)).wait().unwrap();
    store.reset(key(MAIN), 2).wait().unwrap();
    store.accept(new_message(MAIN, "r2", "two", 3)).wait().unwrap();
    store.set_conversation(key(MAIN), Some(&json!(1)), 3, Durability::KillSafe).wait().unwrap();
    assert_eq!(
        (store.delete(key(MAIN)).wait().unwrap(), store.delete(key(MAIN)).wait().unwrap()),
        (true, false)
    );
    assert_eq!(store.session(&key(MAIN)).unwrap(), None);
    assert_eq!((store.run(&run("r1")).unwrap(), store.run(&run("r2")).unwrap()), (None, None));
    assert_eq!(store.conversation(&key(MAIN)).unwrap(), None);
    drop(store);
    let store = scene.open();
    store.accept(new_message(MAIN, "r1", "three", 4)).wait().unwrap();
    assert_eq!(lines(&store, MAIN), [(3, "three".to_owned())]);
}

#[test]
fn a_patch_changes_what_it_names_and_nothing_else() {
    let scene = Scene::new();
    let store = scene.open();
    let all = Patch {
        label: Some(Some("Notes".parse().unwrap())),
        model: Some(Some("local/small".parse().unwrap())),
        reasoning: Some(Some(Reasoning::On)),
        thinking_level: Some(Some(ThinkingLevel::Low)),
        exec_host: Some(Some(ExecHost::Gateway)),
        exec_security: Some(Some(Security::Deny)),
        exec_ask: Some(Some(Ask::OnMiss)),
    };
    let set = store.patch(key(MAIN), all, 10).wait().unwrap();
    let settings = Settings {
        model: Some("local/small".parse().unwrap()),
        reasoning: Some(Reasoning::On),
        thinking_level: Some(ThinkingLevel::Low),
        exec_host: Some(ExecHost::Gateway),
        exec_security: Some(Security::Deny),
        exec_ask: Some(Ask::OnMiss),
    };
    assert_eq!((set.settings, set.created_ms, set.updated_ms), (settings.clone(), 10, 10));
    let some = Patch { model: Some(None), exec_ask: Some(Some(Ask::Always)), ..Patch::default() };
    let changed = store.patch(key(MAIN), some, 5).wait().unwrap();
    let expected = Settings { model: None, exec_ask: Some(Ask::Always), ..settings };
    assert_eq!(
        (&changed.settings, changed.updated_ms),
        (&expected, 10),
        "a clock set back makes nothing older"
    );
    assert_eq!(changed.label.as_ref().map(|label| label.as_str()), Some("Notes"));
    assert_eq!(store.session(&key(MAIN)).unwrap(), Some(changed));
}

#[test]
fn sessions_are_found_by_agent_and_words_on_pages() {
    let scene = Scene::new();
    let store = scene.open();
    for (at_ms, (session, label)) in (1..).zip([
        (MAIN, "Notes"),
        ("agent:ops:main", "50%_done"),
        ("agent:ops:cron:a", ""),
        ("agent:main:天气", ""),
    ]) {
        let label = Some(label.parse().ok());
        store.patch(key(session), Patch { label, ..Patch::default() }, at_ms).wait().unwrap();
    }
    let query = SessionQuery::default;
    let table: &[(SessionQuery, &[&str], u64)] = &[
        (query(), &["agent:main:天气", "agent:ops:cron:a", "agent:ops:main", MAIN], 4),
        (SessionQuery { limit: 2, offset: 1, ..query() }, &["agent:ops:cron:a", "agent:ops:main"], 4),
        (SessionQuery { limit: 0, ..query() }, &[], 4),
        (SessionQuery { offset: usize::MAX, ..query() }, &[], 4),
        (
            SessionQuery { agent: Some("ops".parse().unwrap()), ..query() },
            &["agent:ops:cron:a", "agent:ops:main"],
            2,
        ),
        (SessionQuery { search: Some("NOTE".to_owned()), ..query() }, &[MAIN], 1),
        (SessionQuery { search: Some("%_d".to_owned()), ..query() }, &["agent:ops:main"], 1),
        (SessionQuery { search: Some("天".to_owned()), ..query() }, &["agent:main:天气"], 1),
        (SessionQuery { search: Some("x".repeat(100_000)), ..query() }, &[], 0),
        (
            SessionQuery { agent: Some("ops".parse().unwrap()), search: Some(":main".to_owned()), ..query() },
            &["agent:ops:main"],
            1,
        ),
    ];
    for (asked, keys, total) in table {
        let page = store.sessions(asked).unwrap();
        let found: Vec<_> = page.sessions.iter().map(|session| session.key.as_str()).collect();
        assert_eq!((found.as_slice(), page.total), (*keys, *total), "{:?}", asked.agent);
    }
}

#[test]
fn a_preview_has_the_last_words_and_says_what_is_cut() {
    let scene = Scene::new();
    let store = scene.open();
    store.accept(new_message(MAIN, "r", "first", 1)).wait().unwrap();
    let call = json!({"role": "assistant", "content": [{"type": "toolCall", "id": "c", "name": "read", "arguments": {}}]});
    let call =
        NewItem { session: key(MAIN), run: None, message: serde_json::from_value(call).unwrap(), at_ms: 2 };
    store.append(call, Durability::KillSafe).wait().unwrap();
    store.append(answer_of(MAIN, None, "天气很好", 3), Durability::KillSafe).wait().unwrap();
    store.patch(key("agent:ops:main"), Patch::default(), 4).wait().unwrap();

    let keys = [key(MAIN), key("agent:ops:main"), key("agent:nobody:main")];
    let previews = store.preview(&keys, 8, 3).unwrap();
    let words = |number, speaker, text: &str, at_ms| PreviewItem {
        number,
        speaker,
        text: text.to_owned(),
        cut: true,
        at_ms,
    };
    assert_eq!(
        previews.into_iter().map(|preview| preview.items).collect::<Vec<_>>(),
        [
            Some(vec![words(1, Speaker::User, "fir", 1), words(3, Speaker::Assistant, "天气很", 3)]),
            Some(vec![]),
            None
        ]
    );
    let newest = store.preview(&keys[..1], 1, 4).unwrap().remove(0).items.unwrap();
    assert_eq!((newest.len(), newest[0].text.as_str(), newest[0].cut), (1, "天气很好", false));
    let many = vec![key(MAIN); 65];
    assert_eq!(
        store.preview(&many, 1, 1).unwrap_err().to_string(),
        "the list of sessions is larger than 64 keys"
    );
}

#[test]
fn a_conversation_stands_where_it_was_left() {
    let scene = Scene::new();
    let store = scene.open();
    let set = |state: Option<&serde_json::Value>, at_ms| {
        store.set_conversation(key(MAIN), state, at_ms, Durability::KillSafe).wait()
    };
    let state = json!({"screen": "menu", "n": [1, 2.5, null]});
    assert!(matches!(set(Some(&state), 1), Err(StoreError::NoSession(_))));
    store.patch(key(MAIN), Patch::default(), 1).wait().unwrap();
    set(Some(&json!("first")), 1).unwrap();
    set(Some(&state), 2).unwrap();
    assert_eq!(store.conversation(&key(MAIN)).unwrap(), Some(ConversationState { state, at_ms: 2 }));
    let large = json!("x".repeat(2_000_000));
    assert_eq!(Problem::from(set(Some(&large), 3).unwrap_err()).code, ErrorCode::TooLarge);
    set(None, 4).unwrap();
    assert_eq!(store.conversation(&key(MAIN)).unwrap(), None);
}

#[test]
fn what_was_spent_is_summed_by_day_and_outlives_its_session() {
    let scene = Scene::new();
    let store = scene.open();
    store.accept(new_message(MAIN, "r", "go", 1)).wait().unwrap();
    let usage = |at_ms, cost_nano_usd| Usage {
        run: run("r"),
        model: "local/small".parse().unwrap(),
        input: 100,
        output: 10,
        cache_read: 3,
        cache_write: u32::MAX,
        cost_nano_usd,
        at_ms,
    };
    const DAY: i64 = 86_400_000;
    for (at_ms, cost) in [(10, Some(7)), (DAY - 1, None), (DAY, Some(1_000_000_000_000_000))] {
        store.add_usage(usage(at_ms, cost), Durability::KillSafe).wait().unwrap();
    }
    let refused = store.add_usage(usage(1, Some(1_000_000_000_000_001)), Durability::KillSafe).wait();
    assert_eq!(Problem::from(refused.unwrap_err()).code, ErrorCode::TooLarge);
    store.delete(key(MAIN)).wait().unwrap();
    let first_two = Spent {
        requests: 2,
        input: 200,
        output: 20,
        cache_read: 6,
        cache_write: 2 * u64::from(u32::MAX),
        cost_nano_usd: 7,
        unpriced: 1,
    };
    let first_day = DaySpent { day_ms: 0, spent: first_two };
    assert_eq!(store.spent_by_day(10..DAY).unwrap(), [first_day]);
    let both = store.spent_by_day(10..DAY + 1).unwrap();
    let told: Vec<_> = both.iter().map(|day| (day.day_ms, day.spent.cost_nano_usd)).collect();
    assert_eq!(told, [(0, 7), (DAY, 1_000_000_000_000_000)]);
    assert_eq!(store.spent_by_day(DAY + 1..i64::MAX).unwrap(), []);
    let gone = store.add_usage(usage(1, None), Durability::KillSafe).wait().unwrap_err();
    assert!(matches!(gone, StoreError::NoRun(_)));
}

#[tokio::test]
async fn an_answer_can_be_awaited_and_a_change_is_made_without_anybody_waiting() {
    let scene = Scene::new();
    let store = scene.open();
    store.accept(new_message(MAIN, "r", "one", 1)).await.unwrap();
    drop(store.append(answer_of(MAIN, Some("r"), "two", 2), Durability::KillSafe));
    let third = NewItem { message: said(Role::User, "three"), ..answer_of(MAIN, None, "", 3) };
    assert_eq!(store.append(third, Durability::PowerSafe).await.unwrap(), 3);
    drop(store.append(answer_of(MAIN, None, "four", 4), Durability::KillSafe));
    drop(store);
    let texts: Vec<_> = lines(&scene.open(), MAIN).into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, ["one", "two", "three", "four"]);
}

#[test]
fn a_block_that_is_no_text_is_not_in_a_preview() {
    let thinking: Block = serde_json::from_value(json!({"type": "thinking", "thinking": "secret"})).unwrap();
    let scene = Scene::new();
    let store = scene.open();
    store.patch(key(MAIN), Patch::default(), 1).wait().unwrap();
    let message = Message {
        role: Role::Assistant,
        content: vec![thinking, Block::text("a"), Block::text("b")],
        timestamp: None,
    };
    let new = NewItem { session: key(MAIN), run: None, message, at_ms: 1 };
    store.append(new, Durability::KillSafe).wait().unwrap();
    let items = store.preview(&[key(MAIN)], 8, 80).unwrap().remove(0).items.unwrap();
    assert_eq!(items.into_iter().map(|item| item.text).collect::<Vec<_>>(), ["a\nb"]);
}

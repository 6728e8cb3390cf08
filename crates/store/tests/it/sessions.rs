//! Sessions, transcripts and runs: writes are read back, and invalid ones are refused with a reason.

use crate::fixture::{Fixture, answer_of, items, key, lines, message, new_message, run};
use serde_json::json;
use tarsus_protocol::exec::{Ask, ExecHost, Reasoning, Security, ThinkingLevel, Verbose};
use tarsus_protocol::{Block, ErrorCode, Message, Problem, Role};
use tarsus_store::{
    Accepted, ConversationState, DailyUsage, Durability, HistoryQuery, HistoryStart, IdentifierError,
    ItemPreview, NewItem, RequestUsage, RunEnd, RunId, RunState, SessionKey, SessionOverrides, SessionPatch,
    SessionQuery, Speaker, StoreError, UsageTotals,
};

const MAIN: &str = "agent:main:main";

#[test]
fn invalid_names_are_refused() {
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
        assert_eq!(
            key.as_ref().map(SessionKey::as_str),
            parsed.ok_or(&IdentifierError::SessionKey),
            "{text:?}"
        );
    }
    for (text, good) in [("a", true), (" kept ", true), ("", false), ("a\tb", false), (&long, false)] {
        let run = text.parse::<RunId>();
        assert_eq!(
            run.as_ref().map(RunId::as_str),
            if good { Ok(text) } else { Err(&IdentifierError::RunId) }
        );
    }
}

#[test]
fn message_is_accepted_once_per_idempotency_key() {
    let fixture = Fixture::new();
    let store = fixture.open();
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
        (ErrorCode::Usage, "the idempotency key r1 was already used in the session agent:main:main")
    );
    assert_eq!(store.session(&key("agent:ops:main")).unwrap(), None, "a refused message begins no session");
    assert_eq!(store.run(&run("r1")).unwrap(), Some(begun));
    assert_eq!(store.run(&run("r2")).unwrap(), None);
}

#[test]
fn run_ends_once_and_keeps_its_first_end() {
    let fixture = Fixture::new();
    let store = fixture.open();
    let long = "é".repeat(8_000);
    for (id, first, state, error) in [
        ("a", RunEnd::Finished, RunState::Finished, None),
        ("b", RunEnd::Failed("no model".to_owned()), RunState::Failed, Some("no model".to_owned())),
        ("c", RunEnd::Aborted, RunState::Aborted, None),
        (
            "d",
            RunEnd::Failed(long),
            RunState::Failed,
            Some(format!("{} … (7808 more bytes were cut)", "é".repeat(4_096))),
        ),
    ] {
        store.accept(new_message(MAIN, id, "go", 10)).wait().unwrap();
        let ended = store.finish(run(id), first, 20, Durability::KillSafe).wait().unwrap();
        assert_eq!((ended.state, ended.ended_ms, ended.error.clone()), (state, Some(20), error));
        let again = store.finish(run(id), RunEnd::Aborted, 30, Durability::KillSafe).wait().unwrap();
        assert_eq!(again, ended);
        assert_eq!(store.run(&run(id)).unwrap(), Some(ended));
    }
    let unknown = store.finish(run("e"), RunEnd::Aborted, 30, Durability::KillSafe).wait().unwrap_err();
    assert_eq!(Problem::from(unknown).code, ErrorCode::NotFound);
}

#[test]
fn last_item_and_end_of_a_run_are_written_together() {
    let fixture = Fixture::new();
    let store = fixture.open();
    store.accept(new_message(MAIN, "r", "go", 10)).wait().unwrap();
    let conclude = |item: NewItem, id: &str, outcome| {
        store.conclude(item, run(id), outcome, None, Durability::KillSafe).wait()
    };
    // The item alone could be written, and so could the end.
    let no_run = conclude(answer_of(MAIN, None, "lost", 11), "unknown", RunEnd::Finished).unwrap_err();
    let no_session =
        conclude(answer_of("agent:no:body", None, "lost", 11), "r", RunEnd::Finished).unwrap_err();
    assert_eq!(
        [Problem::from(no_run).code, Problem::from(no_session).code],
        [ErrorCode::NotFound, ErrorCode::NotFound]
    );
    assert_eq!(lines(&store, MAIN), [(1, "go".to_owned())]);
    assert_eq!(store.run(&run("r")).unwrap().unwrap().state, RunState::Started);
    assert_eq!(conclude(answer_of(MAIN, Some("r"), "done", 12), "r", RunEnd::Finished).unwrap(), 2);
    let ended = store.run(&run("r")).unwrap().unwrap();
    assert_eq!((ended.state, ended.ended_ms), (RunState::Finished, Some(12)));
    assert_eq!(lines(&store, MAIN), [(1, "go".to_owned()), (2, "done".to_owned())]);
}

#[test]
fn messages_after_a_reset_belong_to_the_new_transcript() {
    let fixture = Fixture::new();
    let store = fixture.open();
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
fn item_needs_an_existing_session_and_run() {
    let fixture = Fixture::new();
    let store = fixture.open();
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
fn every_kind_of_message_is_read_back_unchanged() {
    let fixture = Fixture::new();
    let store = fixture.open();
    store.patch(key(MAIN), SessionPatch::default(), 1).wait().unwrap();
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
fn history_starts_at_the_cursor_and_reports_more() {
    let fixture = Fixture::new();
    let store = fixture.open();
    store.accept(new_message(MAIN, "r", "1", 1)).wait().unwrap();
    store.accept(new_message("agent:ops:main", "other", "2", 1)).wait().unwrap();
    for number in 3..=7 {
        store.append(answer_of(MAIN, None, &number.to_string(), 1), Durability::KillSafe).wait().unwrap();
    }
    let table: &[(HistoryStart, usize, &[u64], bool)] = &[
        (HistoryStart::Newest, 50, &[1, 3, 4, 5, 6, 7], false),
        (HistoryStart::Newest, 6, &[1, 3, 4, 5, 6, 7], false),
        (HistoryStart::Newest, 2, &[6, 7], true),
        (HistoryStart::Newest, 0, &[], true),
        (HistoryStart::Before(6), 2, &[4, 5], true),
        (HistoryStart::Before(4), 2, &[1, 3], false),
        (HistoryStart::Before(0), 2, &[], false),
        (HistoryStart::After(0), 2, &[1, 3], true),
        (HistoryStart::After(2), 2, &[3, 4], true),
        (HistoryStart::After(5), 2, &[6, 7], false),
        (HistoryStart::After(7), 2, &[], false),
        (HistoryStart::After(u64::MAX), usize::MAX, &[], false),
    ];
    for (start, limit, numbers, more) in table {
        let wanted = HistoryQuery { start: *start, limit: *limit, ..HistoryQuery::for_session(key(MAIN)) };
        let page = store.history(&wanted).unwrap().unwrap();
        let found: Vec<_> = page.items.iter().map(|item| item.number).collect();
        assert_eq!((found.as_slice(), page.more, page.total), (*numbers, *more, 6), "{start:?} {limit}");
    }
    assert_eq!(store.history(&HistoryQuery::for_session(key("agent:nobody:main"))).unwrap(), None);
}

#[test]
fn history_page_is_bounded_in_bytes() {
    let fixture = Fixture::new();
    let store = fixture.open();
    store.patch(key(MAIN), SessionPatch::default(), 1).wait().unwrap();
    let large = "x".repeat(7 * 1024 * 1024);
    for _ in 0..4 {
        store.append(answer_of(MAIN, None, &large, 1), Durability::KillSafe).wait().unwrap();
    }
    let numbers = |start| {
        let page =
            store.history(&HistoryQuery { start, ..HistoryQuery::for_session(key(MAIN)) }).unwrap().unwrap();
        (page.items.iter().map(|item| item.number).collect::<Vec<_>>(), page.more)
    };
    assert_eq!(numbers(HistoryStart::Newest), (vec![3, 4], true));
    assert_eq!(numbers(HistoryStart::Before(3)), (vec![1, 2], false));
    assert_eq!(numbers(HistoryStart::After(0)), (vec![1, 2], true));
}

#[test]
fn reset_starts_a_new_transcript_and_keeps_the_old_one() {
    let fixture = Fixture::new();
    let store = fixture.open();
    store.accept(new_message(MAIN, "old", "before", 1)).wait().unwrap();
    let label = SessionPatch { label: Some(Some("Notes".parse().unwrap())), ..SessionPatch::default() };
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
    let transcripts: Vec<_> = store
        .transcripts(&key(MAIN))
        .unwrap()
        .into_iter()
        .map(|transcript| (transcript.session_id, transcript.begun_ms, transcript.items))
        .collect();
    assert_eq!(transcripts, [(first.session_id.clone(), 1, 2), (second.session_id.clone(), 4, 1)]);
    let of_before =
        HistoryQuery { session_id: Some(first.session_id), ..HistoryQuery::for_session(key(MAIN)) };
    let page = store.history(&of_before).unwrap().unwrap();
    assert_eq!(page.items.iter().map(|item| item.number).collect::<Vec<_>>(), [1, 2]);
    let elsewhere = HistoryQuery { session: key("agent:ops:main"), ..of_before };
    assert_eq!(store.history(&elsewhere).unwrap(), None);

    let begun = store.reset(key("agent:ops:main"), 7).wait().unwrap();
    assert_eq!((begun.created_ms, begun.items), (7, 0), "a reset begins a session that was not there");
}

#[test]
fn numbers_of_a_deleted_session_are_not_reused() {
    let fixture = Fixture::new();
    let store = fixture.open();
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
    let store = fixture.open();
    store.accept(new_message(MAIN, "r1", "three", 4)).wait().unwrap();
    assert_eq!(lines(&store, MAIN), [(3, "three".to_owned())]);
}

#[test]
fn patch_changes_only_the_given_values() {
    let fixture = Fixture::new();
    let store = fixture.open();
    let all = SessionPatch {
        label: Some(Some("Notes".parse().unwrap())),
        model: Some(Some("local/small".parse().unwrap())),
        reasoning: Some(Some(Reasoning::On)),
        verbose: Some(Some(Verbose::Full)),
        thinking_level: Some(Some(ThinkingLevel::Low)),
        exec_host: Some(Some(ExecHost::Gateway)),
        exec_security: Some(Some(Security::Deny)),
        exec_ask: Some(Some(Ask::OnMiss)),
    };
    let set = store.patch(key(MAIN), all, 10).wait().unwrap();
    let settings = SessionOverrides {
        model: Some("local/small".parse().unwrap()),
        reasoning: Some(Reasoning::On),
        verbose: Some(Verbose::Full),
        thinking_level: Some(ThinkingLevel::Low),
        exec_host: Some(ExecHost::Gateway),
        exec_security: Some(Security::Deny),
        exec_ask: Some(Ask::OnMiss),
    };
    assert_eq!((set.settings, set.created_ms, set.updated_ms), (settings.clone(), 10, 10));
    let some =
        SessionPatch { model: Some(None), exec_ask: Some(Some(Ask::Always)), ..SessionPatch::default() };
    let changed = store.patch(key(MAIN), some, 5).wait().unwrap();
    let expected = SessionOverrides { model: None, exec_ask: Some(Ask::Always), ..settings };
    assert_eq!(
        (&changed.settings, changed.updated_ms),
        (&expected, 10),
        "a clock set back makes nothing older"
    );
    assert_eq!(changed.label.as_ref().map(|label| label.as_str()), Some("Notes"));
    assert_eq!(store.session(&key(MAIN)).unwrap(), Some(changed));
}

#[test]
fn sessions_are_filtered_by_agent_and_text_in_pages() {
    let fixture = Fixture::new();
    let store = fixture.open();
    for (at_ms, (session, label)) in (1..).zip([
        (MAIN, "Notes"),
        ("agent:ops:main", "50%_done"),
        ("agent:ops:cron:a", ""),
        ("agent:main:天气", ""),
    ]) {
        let label = Some(label.parse().ok());
        store.patch(key(session), SessionPatch { label, ..SessionPatch::default() }, at_ms).wait().unwrap();
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
    for (query, keys, total) in table {
        let page = store.sessions(query).unwrap();
        let found: Vec<_> = page.sessions.iter().map(|session| session.key.as_str()).collect();
        assert_eq!((found.as_slice(), page.total), (*keys, *total), "{:?}", query.agent);
    }
}

#[test]
fn preview_has_the_newest_messages_and_marks_cuts() {
    let fixture = Fixture::new();
    let store = fixture.open();
    store.accept(new_message(MAIN, "r", "first", 1)).wait().unwrap();
    let call = json!({"role": "assistant", "content": [{"type": "toolCall", "id": "c", "name": "read", "arguments": {}}]});
    let call =
        NewItem { session: key(MAIN), run: None, message: serde_json::from_value(call).unwrap(), at_ms: 2 };
    store.append(call, Durability::KillSafe).wait().unwrap();
    store.append(answer_of(MAIN, None, "天气很好", 3), Durability::KillSafe).wait().unwrap();
    store.patch(key("agent:ops:main"), SessionPatch::default(), 4).wait().unwrap();

    let keys = [key(MAIN), key("agent:ops:main"), key("agent:nobody:main")];
    let previews = store.preview(&keys, 8, 3).unwrap();
    let words = |number, speaker, text: &str, at_ms| ItemPreview {
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
fn conversation_state_is_kept_per_session() {
    let fixture = Fixture::new();
    let store = fixture.open();
    let set = |state: Option<&serde_json::Value>, at_ms| {
        store.set_conversation(key(MAIN), state, at_ms, Durability::KillSafe).wait()
    };
    let state = json!({"screen": "menu", "n": [1, 2.5, null]});
    assert!(matches!(set(Some(&state), 1), Err(StoreError::NoSession(_))));
    store.patch(key(MAIN), SessionPatch::default(), 1).wait().unwrap();
    set(Some(&json!("first")), 1).unwrap();
    set(Some(&state), 2).unwrap();
    assert_eq!(store.conversation(&key(MAIN)).unwrap(), Some(ConversationState { state, at_ms: 2 }));
    let large = json!("x".repeat(2_000_000));
    assert_eq!(Problem::from(set(Some(&large), 3).unwrap_err()).code, ErrorCode::TooLarge);
    set(None, 4).unwrap();
    assert_eq!(store.conversation(&key(MAIN)).unwrap(), None);
}

#[test]
fn usage_is_summed_by_day_and_outlives_its_session() {
    let fixture = Fixture::new();
    let store = fixture.open();
    store.accept(new_message(MAIN, "r", "go", 1)).wait().unwrap();
    let usage = |at_ms, cost_nano_usd| RequestUsage {
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
    let first_two = UsageTotals {
        requests: 2,
        input: 200,
        output: 20,
        cache_read: 6,
        cache_write: 2 * u64::from(u32::MAX),
        cost_nano_usd: 7,
        unpriced: 1,
    };
    let first_day = DailyUsage { day_ms: 0, totals: first_two };
    assert_eq!(store.usage_by_day(10..DAY).unwrap(), [first_day]);
    let both = store.usage_by_day(10..DAY + 1).unwrap();
    let costs: Vec<_> = both.iter().map(|day| (day.day_ms, day.totals.cost_nano_usd)).collect();
    assert_eq!(costs, [(0, 7), (DAY, 1_000_000_000_000_000)]);
    assert_eq!(store.usage_by_day(DAY + 1..i64::MAX).unwrap(), []);
    let gone = store.add_usage(usage(1, None), Durability::KillSafe).wait().unwrap_err();
    assert!(matches!(gone, StoreError::NoRun(_)));
}

#[tokio::test]
async fn change_is_applied_whether_or_not_it_is_awaited() {
    let fixture = Fixture::new();
    let store = fixture.open();
    store.accept(new_message(MAIN, "r", "one", 1)).await.unwrap();
    drop(store.append(answer_of(MAIN, Some("r"), "two", 2), Durability::KillSafe));
    let third = NewItem { message: message(Role::User, "three"), ..answer_of(MAIN, None, "", 3) };
    assert_eq!(store.append(third, Durability::PowerSafe).await.unwrap(), 3);
    drop(store.append(answer_of(MAIN, None, "four", 4), Durability::KillSafe));
    drop(store);
    let texts: Vec<_> = lines(&fixture.open(), MAIN).into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, ["one", "two", "three", "four"]);
}

#[test]
fn preview_skips_blocks_without_text() {
    let thinking: Block = serde_json::from_value(json!({"type": "thinking", "thinking": "secret"})).unwrap();
    let fixture = Fixture::new();
    let store = fixture.open();
    store.patch(key(MAIN), SessionPatch::default(), 1).wait().unwrap();
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

//! Decisions about calls: what is permitted once, what is asked, what is written down, and how it is explained.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests set the scene by hand"
)]

mod scene;

use std::fs;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use scene::{active, call, context, hash, id, skills, subject};
use serde_json::json;
use tarsus_audit::{Audit, Category, Entry, Filter, Record, Severity};
use tarsus_guard::{
    Activation, Authorized, By, Call, Context, Decision, Guard, GuardError, Pending, Refusal, Said, Skills,
    Unusable, change, explain, standing,
};
use tarsus_home::settings::{Change, Enforcement, SkillRecords};
use tarsus_home::{Choice, Home};
use tarsus_protocol::authorize::{Inspector, Verdict};
use tarsus_protocol::capability::{Capability, TrustTier};
use tarsus_protocol::grants::Pinned;
use tarsus_protocol::{ErrorCode, Problem};
use tempfile::TempDir;

/// A guard with a chain of its own.
struct Post {
    home: Home,
    audit: Arc<Audit>,
    guard: Guard,
    /// A community skill that may do nothing.
    skills: Skills,
    _dir: TempDir,
}

impl Post {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let choice = Choice { state_flag: Some(dir.path().to_path_buf()), ..Choice::default() };
        let home = Home::locate(&choice).unwrap();
        let audit = Arc::new(Audit::open(&home).unwrap());
        let skill = standing(subject("weather", TrustTier::Community, &[]), &SkillRecords::default());
        Self { home, guard: Guard::new(audit.clone()), audit, skills: skills(&[&skill]), _dir: dir }
    }

    fn records(&self) -> Vec<Record> {
        self.audit.tail(&Filter::default()).unwrap().records
    }

    /// Makes every further record impossible.
    fn break_chain(&self) {
        let line = Entry::security("first", Severity::Info);
        self.audit.record(line, now()).unwrap();
        fs::write(self.home.audit_dir().join("head.json"), b"{}").unwrap();
    }
}

fn now() -> Timestamp {
    "2026-11-16T12:00:00Z".parse().unwrap()
}

fn allowed(decision: Decision) -> Authorized {
    match decision {
        Decision::Allowed(authorized) => authorized,
        other => panic!("{other:?}"),
    }
}

fn pending(decision: Decision) -> Pending {
    match decision {
        Decision::NeedsApproval(pending) => pending,
        other => panic!("{other:?}"),
    }
}

fn denied(decision: Decision) -> Refusal {
    match decision {
        Decision::Denied(refusal) => refusal,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_permission_holds_the_very_arguments_for_one_session_and_a_minute() {
    let post = Post::new();
    let nothing = Activation::default();
    let context = context(Enforcement::Active, &post.skills, &nothing);
    let authorize = || allowed(post.guard.authorize(call("exec"), &context, now()));
    let arguments = (String::from("exec"), json!({"x": 1}));
    assert_eq!((authorize().tool(), authorize().arguments()), ("exec", &arguments.1));
    let later = |seconds| now() + SignedDuration::from_secs(seconds);
    assert_eq!(authorize().redeem("agent:main:main", later(59)), Ok(arguments));
    let tool = || "exec".to_owned();
    assert_eq!(authorize().redeem("agent:main:main", later(60)), Err(Unusable::Expired { tool: tool() }));
    assert_eq!(authorize().redeem("agent:main:other", now()), Err(Unusable::OtherSession { tool: tool() }));
    // What is plainly permitted leaves no record.
    assert_eq!(post.records(), []);
}

#[test]
fn every_refusal_is_recorded_by_its_kind() {
    let post = Post::new();
    let session = active(&["weather"]);
    let context = context(Enforcement::Active, &post.skills, &session);
    let dispatched = Call { dispatched_by: Some(id("weather")), ..call("exec") };
    let poor = Context { budget: Some(Said::deny("the budget of today is used up")), ..context.clone() };
    let table = [
        (call("exec"), &context, "capability.refused", Severity::Warning),
        (call("mcp__any"), &context, "capability.refused", Severity::Warning),
        (call("gateway"), &context, "tool.always-denied", Severity::Warning),
        (dispatched, &context, "dispatch.refused", Severity::Warning),
        (call("read"), &poor, "tool.refused", Severity::Info),
    ];
    for (number, (call, context, event, severity)) in table.into_iter().enumerate() {
        let refusal = denied(post.guard.authorize(call.clone(), context, now()));
        let record = post.records().pop().unwrap();
        assert_eq!(refusal.id, Some(number as u64 + 1));
        assert_eq!(Some(record.seq), refusal.id);
        let entry = record.entry;
        assert_eq!(
            (entry.category, entry.event.as_str(), entry.severity),
            (Category::Security, event, severity)
        );
        let who = (entry.agent_id.as_deref(), entry.session_key.as_deref(), entry.run_id.as_deref());
        assert_eq!(who, (Some("main"), Some("agent:main:main"), Some("run-1")));
        assert_eq!(
            (entry.tool.as_deref(), entry.decision.as_deref()),
            (Some(call.tool.as_str()), Some("deny"))
        );
        assert_eq!(entry.skill.is_some(), event != "tool.refused", "{event}");
        assert_eq!(entry.reason.as_deref(), Some(&*refusal.reasons[0].message));
        // Arguments may hold secrets.
        assert!(!serde_json::to_string(&entry.detail).unwrap().contains("\"x\""));
    }
}

#[test]
fn a_refusal_tells_what_is_lacking_and_how_to_grant_it() {
    let post = Post::new();
    let session = active(&["weather"]);
    let refusal = denied(post.guard.authorize(
        call("exec"),
        &context(Enforcement::Active, &post.skills, &session),
        now(),
    ));
    let problem = Problem::from(refusal);
    assert_eq!((problem.code, problem.message.as_str()), (ErrorCode::Denied, "exec is not permitted"));
    let notes = [
        "the skill weather lacks shell: it does not ask for it",
        "`tarsus explain 1` shows everything that led to this",
    ];
    assert_eq!(problem.notes, notes);
    assert_eq!(problem.next_step(), "to allow it: `tarsus skills grant weather shell`");
    assert_eq!(problem.skill.as_deref(), Some("weather"));
}

#[test]
fn what_enforcement_would_have_refused_is_recorded_before_it_is_permitted() {
    let post = Post::new();
    let session = active(&["weather"]);
    let context = context(Enforcement::Off, &post.skills, &session);
    allowed(post.guard.authorize(call("read"), &context, now())).redeem("agent:main:main", now()).unwrap();
    assert_eq!(post.records(), []);
    allowed(post.guard.authorize(call("gateway"), &context, now())).redeem("agent:main:main", now()).unwrap();
    let [record] = &post.records()[..] else { panic!("one record") };
    let entry = &record.entry;
    assert_eq!((entry.event.as_str(), entry.decision.as_deref()), ("enforcement.bypassed", Some("allow")));
    assert_eq!(entry.skill.as_deref(), Some("weather"));
}

#[test]
fn a_yes_to_something_else_does_not_hide_what_enforcement_would_have_refused() {
    let post = Post::new();
    let session = active(&["weather"]);
    let plain = context(Enforcement::Off, &post.skills, &session);
    let asks = Context { exec_policy: Some(Said::ask("not on the list")), ..plain };
    let question = pending(post.guard.authorize(call("exec"), &asks, now()));
    let _ = allowed(post.guard.approve(question, &asks, now()));
    let events: Vec<String> = post.records().into_iter().map(|record| record.entry.event).collect();
    assert_eq!(events, ["approval.asked", "enforcement.bypassed", "approval.answered"]);
}

#[test]
fn an_answer_names_the_record_of_its_question() {
    let post = Post::new();
    let nothing = Activation::default();
    let plain = context(Enforcement::Active, &post.skills, &nothing);
    let asks = Context { exec_policy: Some(Said::ask("not on the list")), ..plain };
    let [first, second] = [(); 2].map(|()| pending(post.guard.authorize(call("exec"), &asks, now())));
    let _ = post.guard.decline(second, &asks, now());
    let _ = allowed(post.guard.approve(first, &asks, now()));
    let asked = |id| explain(&post.audit, id).unwrap().detail.get("asked").cloned();
    assert_eq!([1, 2, 3, 4].map(asked), [None, None, Some("2".to_owned()), Some("1".to_owned())]);
}

#[test]
fn a_refused_dispatch_names_its_skill_and_is_one_of_a_community_skill_alone() {
    let post = Post::new();
    let mine = standing(subject("mine", TrustTier::Local, &[]), &SkillRecords::default());
    let weather = standing(subject("weather", TrustTier::Community, &[]), &SkillRecords::default());
    let (snapshot, session) = (skills(&[&mine, &weather]), active(&["weather"]));
    let context = context(Enforcement::Active, &snapshot, &session);
    for (name, event) in [("weather", "dispatch.refused"), ("mine", "capability.refused")] {
        let call = Call { dispatched_by: Some(id(name)), ..call("exec") };
        let refusal = denied(post.guard.authorize(call, &context, now()));
        let explanation = explain(&post.audit, refusal.id.unwrap()).unwrap();
        assert_eq!((explanation.event.as_str(), explanation.skill.as_deref()), (event, Some("weather")));
        assert_eq!(explanation.detail["dispatchedBy"], name);
    }
}

#[test]
fn what_cannot_be_recorded_is_not_permitted_and_refusing_still_works() {
    let post = Post::new();
    post.break_chain();
    let session = active(&["weather"]);
    let off = context(Enforcement::Off, &post.skills, &session);
    let refusal = denied(post.guard.authorize(call("exec"), &off, now()));
    assert_eq!((refusal.id, refusal.reasons[0].inspector), (None, Inspector::Record));
    let asks = Context { exec_policy: Some(Said::ask("not on the list")), ..off.clone() };
    let refusal = denied(post.guard.authorize(call("exec"), &asks, now()));
    assert_eq!(refusal.reasons[0].inspector, Inspector::Record);
    let on = Context { enforcement: Enforcement::Active, ..off.clone() };
    let refusal = denied(post.guard.authorize(call("exec"), &on, now()));
    assert_eq!((refusal.id, refusal.reasons[0].inspector), (None, Inspector::Capabilities));
    assert!(!Problem::from(refusal).notes.iter().any(|note| note.contains("explain")));
    // What needs no record is not held up.
    allowed(post.guard.authorize(call("read"), &off, now())).redeem("agent:main:main", now()).unwrap();
    assert_eq!(post.audit.lost(), 3);
}

#[test]
fn a_yes_is_for_what_was_asked_and_policy_is_asked_again() {
    let post = Post::new();
    let nothing = Activation::default();
    let plain = context(Enforcement::Active, &post.skills, &nothing);
    let asks = Context { exec_policy: Some(Said::ask("rsync is not on the list")), ..plain.clone() };
    let ask = || pending(post.guard.authorize(call("exec"), &asks, now()));
    let question = ask();
    assert_eq!((question.call(), question.id()), (&call("exec"), 1));
    assert_eq!(
        question.questions().iter().map(|reason| &*reason.message).collect::<Vec<_>>(),
        ["rsync is not on the list"]
    );
    let (tool, _) =
        allowed(post.guard.approve(question, &asks, now())).redeem("agent:main:main", now()).unwrap();
    assert_eq!(tool, "exec");
    // The list has it by now.
    let _ = allowed(post.guard.approve(ask(), &plain, now()));
    // Something else is asked by now.
    let other = Context { sandbox: Some(Said::ask("it leaves the sandbox")), ..asks.clone() };
    assert_eq!(pending(post.guard.approve(ask(), &other, now())).questions().len(), 2);
    // A community skill without shell is active by now.
    let session = active(&["weather"]);
    let tainted = Context { active: &session, ..asks.clone() };
    assert_eq!(denied(post.guard.approve(ask(), &tainted, now())).reasons[0].verdict, Verdict::Deny);
    let elsewhere = Context { session: "agent:main:other", ..asks.clone() };
    assert_eq!(
        denied(post.guard.approve(ask(), &elsewhere, now())).reasons[0].message,
        "it was asked in another session"
    );
    let events: Vec<String> = post.records().into_iter().map(|record| record.entry.event).collect();
    let asked = "approval.asked";
    let answered = "approval.answered";
    let expected =
        [asked, answered, asked, answered, asked, asked, asked, "capability.refused", asked, "tool.refused"];
    assert_eq!(events, expected);
}

#[test]
fn a_no_always_works() {
    let post = Post::new();
    let nothing = Activation::default();
    let plain = context(Enforcement::Active, &post.skills, &nothing);
    let asks = Context { exec_policy: Some(Said::ask("rsync is not on the list")), ..plain };
    let question = pending(post.guard.authorize(call("exec"), &asks, now()));
    let broken = pending(post.guard.authorize(call("exec"), &asks, now()));
    let refusal = post.guard.decline(question, &asks, now());
    assert_eq!(refusal.id, Some(3));
    assert_eq!(explain(&post.audit, 3).unwrap().decision.as_deref(), Some("declined"));
    post.break_chain();
    assert_eq!(post.guard.decline(broken, &asks, now()).id, None);
}

#[test]
fn a_recorded_decision_is_explained_with_every_reason_and_every_active_skill() {
    let post = Post::new();
    let session = active(&["weather"]);
    let refusal = denied(post.guard.authorize(
        call("exec"),
        &context(Enforcement::Active, &post.skills, &session),
        now(),
    ));
    let explanation = explain(&post.audit, refusal.id.unwrap()).unwrap();
    assert_eq!(explanation.reasons, refusal.reasons);
    assert_eq!((explanation.left_out, explanation.event.as_str()), (0, "capability.refused"));
    assert_eq!(explanation.active, ["weather (community: its files were read)"]);
    assert_eq!(
        (explanation.ts.as_str(), explanation.tool.as_deref()),
        ("2026-11-16T12:00:00Z", Some("exec"))
    );
    // A record that is no decision about a call has an answer too.
    post.audit
        .record(Entry { app: Some("notes".into()), ..Entry::security("app.launch", Severity::Info) }, now())
        .unwrap();
    let launch = explain(&post.audit, 2).unwrap();
    assert_eq!(
        (launch.event.as_str(), launch.app.as_deref(), launch.reasons.len()),
        ("app.launch", Some("notes"), 0)
    );
    for id in [0, 3, u64::MAX] {
        let error = explain(&post.audit, id).unwrap_err();
        assert!(matches!(error, GuardError::NoRecord { .. }), "{error}");
        assert_eq!(Problem::from(error).code, ErrorCode::NotFound);
    }
}

#[test]
fn a_decision_of_the_owner_is_explained_with_what_was_given_to_what() {
    let post = Post::new();
    let grant = Pinned { hash: hash('a'), capabilities: [Capability::Shell, Capability::Network].into() };
    let change_ = Change::Grant { name: "weather".into(), grant };
    let by = By { surface: "terminal".into(), agent: None };
    change(&post.home, Ok(&post.audit), &change_, &by, now()).unwrap();
    let explanation = explain(&post.audit, 1).unwrap();
    let expected = [
        ("capabilities", "shell, network".to_owned()),
        ("hash", hash('a').to_string()),
        ("surface", "terminal".to_owned()),
    ];
    assert_eq!(explanation.detail, expected.map(|(key, value)| (key.to_owned(), value)).into());
    assert_eq!((explanation.event.as_str(), explanation.unverified), ("skill.grant", None));
    // What a record says is not to drive a terminal.
    let mut line = Entry::security("x", Severity::Info);
    line.detail.insert("a\u{1b}[31m".into(), json!({"deep": ["b\u{202e}", 1]}));
    line.detail.insert("nothing".into(), json!(null));
    post.audit.record(line, now()).unwrap();
    let detail = explain(&post.audit, 2).unwrap().detail;
    assert_eq!(detail, [("a".to_owned(), r#"{"deep":["b",1]}"#.to_owned())].into());
}

#[test]
fn a_record_that_somebody_changed_is_explained_as_one_that_cannot_be_relied_on() {
    let post = Post::new();
    for event in ["one", "two", "three"] {
        post.audit.record(Entry::security(event, Severity::Info), now()).unwrap();
    }
    let path = post.home.audit_dir().join("2026-11.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("\"two\"", "\"owt\"")).unwrap();
    let audit = Audit::open(&post.home).unwrap();
    let unverified = |id| explain(&audit, id).unwrap().unverified;
    assert_eq!(unverified(1), None);
    for id in [2, 3] {
        let why = unverified(id).unwrap();
        assert!(why.ends_with(":2: the line was changed, or sealed with another key"), "{why}");
    }
    assert_eq!(explain(&audit, 2).unwrap().event, "owt");
}

#[test]
fn a_record_fits_however_much_led_to_it_and_says_what_was_left_out() {
    let post = Post::new();
    let names: Vec<String> = (0..300).map(|number| format!("skill-{number}-{}", "é\"".repeat(100))).collect();
    let standings: Vec<_> = names
        .iter()
        .map(|name| standing(subject(name, TrustTier::Community, &[]), &SkillRecords::default()))
        .collect();
    let skills: Skills = standings.into_iter().collect();
    let session = active(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let long = Said { remedy: Some("r".repeat(100_000)), ..Said::deny("\u{1F980}\"\u{1}".repeat(100_000)) };
    let context = Context { sandbox: Some(long), ..context(Enforcement::Active, &skills, &session) };
    let hostile = Call { tool: format!("exec\u{1b}[31m{}", "x".repeat(10_000)), ..call("exec") };
    for (call, fits) in [(call("exec"), false), (hostile, true)] {
        let refusal = denied(post.guard.authorize(call, &context, now()));
        let explanation = explain(&post.audit, refusal.id.unwrap()).unwrap();
        assert_eq!(explanation.reasons.len() as u64 + explanation.left_out, refusal.reasons.len() as u64);
        assert_eq!(explanation.left_out == 0, fits, "{explanation:?}");
        // The strictest is kept whatever it is.
        assert!(!explanation.reasons.is_empty(), "{explanation:?}");
        assert!(!explanation.active.is_empty());
        let last = explanation.active.last().unwrap();
        assert!(last.starts_with("and ") && last.ends_with(" more"), "{last}");
        assert!(explanation.tool.unwrap().chars().count() <= 81);
    }
    assert!(post.audit.verify().unwrap().first_bad.is_none());
}

//! Authorization of calls: permissions, approvals, records and explanations.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use crate::fixture::{active, call, context, hash, id, pinned, skills, subject};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use tarsus_audit::{Audit, AuditEntry, Record, RecordCategory, RecordFilter, RecordSeverity};
use tarsus_guard::{
    Activation, ActivationCause, Authorization, Authorized, Call, CallContext, CallFacts, ChangeOrigin,
    DeclaredCapabilities, Guard, GuardError, PendingCall, PermittedHosts, PolicyVerdict, Program,
    RedeemError, Redeemed, Refusal, SkillPermissions, SkillSet, SkillSubject, apply_change, decide, explain,
};
use tarsus_home::settings::{Enforcement, SkillRecordChange, SkillRecords};
use tarsus_home::{Home, HomeOptions};
use tarsus_protocol::authorize::{Inspector, Verdict};
use tarsus_protocol::capability::{Capability, TrustTier};
use tarsus_protocol::grants::Pinned;
use tarsus_protocol::{ErrorCode, Problem};
use tempfile::TempDir;

/// A guard with a separate audit chain.
struct GuardFixture {
    home: Home,
    audit: Arc<Audit>,
    guard: Guard,
    /// A community skill without capabilities.
    skills: SkillSet,
    _dir: TempDir,
}

impl GuardFixture {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let choice = HomeOptions { state_flag: Some(dir.path().to_path_buf()), ..HomeOptions::default() };
        let home = Home::locate(&choice).unwrap();
        let audit = Arc::new(Audit::open(&home, None).unwrap());
        let skill = SkillPermissions::resolve(
            subject("weather", TrustTier::Community, &[]),
            &SkillRecords::default(),
        );
        Self { home, guard: Guard::new(audit.clone()), audit, skills: skills(&[&skill]), _dir: dir }
    }

    fn records(&self) -> Vec<Record> {
        self.audit.tail(&RecordFilter::default()).unwrap().records
    }

    /// Makes every further audit record fail.
    fn break_chain(&self) {
        let line = AuditEntry::security("first", RecordSeverity::Info);
        self.audit.record(line, now()).unwrap();
        fs::write(self.home.audit_dir().join("head.json"), b"{}").unwrap();
    }
}

fn now() -> Timestamp {
    "2026-11-16T12:00:00Z".parse().unwrap()
}

fn allowed(decision: Authorization) -> Authorized {
    match decision {
        Authorization::Allowed(authorized) => authorized,
        other => panic!("{other:?}"),
    }
}

fn pending(decision: Authorization) -> PendingCall {
    match decision {
        Authorization::NeedsApproval(pending) => pending,
        other => panic!("{other:?}"),
    }
}

fn denied(decision: Authorization) -> Refusal {
    match decision {
        Authorization::Denied(refusal) => refusal,
        other => panic!("{other:?}"),
    }
}

#[test]
fn permission_is_bound_to_arguments_session_and_time() {
    let fixture = GuardFixture::new();
    let nothing = Activation::default();
    let context = context(Enforcement::Active, &fixture.skills, &nothing);
    let authorize = || allowed(fixture.guard.authorize(call("exec"), &context, now()));
    let Call { tool, arguments, facts, .. } = call("exec");
    let judged =
        Redeemed { tool, arguments, facts, active: nothing.clone(), hosts: PermittedHosts::default() };
    assert_eq!((authorize().tool(), authorize().arguments()), ("exec", &judged.arguments));
    let later = |seconds| now() + SignedDuration::from_secs(seconds);
    assert_eq!(authorize().redeem("agent:main:main", later(59)), Ok(judged));
    let tool = || "exec".to_owned();
    assert_eq!(authorize().redeem("agent:main:main", later(60)), Err(RedeemError::Expired { tool: tool() }));
    assert_eq!(
        authorize().redeem("agent:main:other", now()),
        Err(RedeemError::OtherSession { tool: tool() })
    );
    // What is plainly permitted leaves no record.
    assert_eq!(fixture.records(), []);
}

#[test]
fn every_refusal_is_recorded_by_its_kind() {
    let fixture = GuardFixture::new();
    let session = active(&["weather"]);
    let context = context(Enforcement::Active, &fixture.skills, &session);
    let dispatched = Call { dispatched_by: Some(id("weather")), ..call("exec") };
    let denied_by_app =
        CallContext { app_policy: Some(PolicyVerdict::deny("its policy denies it")), ..context.clone() };
    let table = [
        (call("exec"), &context, "capability.refused", RecordSeverity::Warning),
        (call("mcp__any"), &context, "capability.refused", RecordSeverity::Warning),
        (call("gateway"), &context, "tool.always-denied", RecordSeverity::Warning),
        (dispatched, &context, "dispatch.refused", RecordSeverity::Warning),
        (call("read"), &denied_by_app, "tool.refused", RecordSeverity::Info),
    ];
    for (number, (call, context, event, severity)) in table.into_iter().enumerate() {
        let refusal = denied(fixture.guard.authorize(call.clone(), context, now()));
        let record = fixture.records().pop().unwrap();
        assert_eq!(refusal.id, Some(number as u64 + 1));
        assert_eq!(Some(record.seq), refusal.id);
        let entry = record.entry;
        assert_eq!(
            (entry.category, entry.event.as_str(), entry.severity),
            (RecordCategory::Security, event, severity)
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
fn refusal_names_the_missing_capability_and_remedy() {
    let fixture = GuardFixture::new();
    let session = active(&["weather"]);
    let refusal = denied(fixture.guard.authorize(
        call("exec"),
        &context(Enforcement::Active, &fixture.skills, &session),
        now(),
    ));
    let problem = Problem::from(refusal);
    assert_eq!((problem.code, problem.message.as_str()), (ErrorCode::Denied, "exec is not permitted"));
    let notes =
        ["the skill weather lacks shell: it does not declare it", "`tarsus explain 1` shows every reason"];
    assert_eq!(problem.notes, notes);
    assert_eq!(problem.next_step(), "to allow it: `tarsus skills grant weather shell`");
    assert_eq!(problem.skill.as_deref(), Some("weather"));
}

#[test]
fn bypass_is_recorded_before_it_is_allowed() {
    let fixture = GuardFixture::new();
    let session = active(&["weather"]);
    let context = context(Enforcement::Off, &fixture.skills, &session);
    allowed(fixture.guard.authorize(call("read"), &context, now())).redeem("agent:main:main", now()).unwrap();
    assert_eq!(fixture.records(), []);
    allowed(fixture.guard.authorize(call("gateway"), &context, now()))
        .redeem("agent:main:main", now())
        .unwrap();
    let [record] = &fixture.records()[..] else { panic!("one record") };
    let entry = &record.entry;
    assert_eq!((entry.event.as_str(), entry.decision.as_deref()), ("enforcement.bypassed", Some("allow")));
    assert_eq!(entry.skill.as_deref(), Some("weather"));
}

#[test]
fn approval_does_not_hide_a_bypass() {
    let fixture = GuardFixture::new();
    let session = active(&["weather"]);
    let plain = context(Enforcement::Off, &fixture.skills, &session);
    let asks = CallContext { app_policy: Some(PolicyVerdict::ask("not on the list")), ..plain };
    let question = pending(fixture.guard.authorize(call("exec"), &asks, now()));
    let _ = allowed(fixture.guard.approve(question, &asks, now()));
    let events: Vec<String> = fixture.records().into_iter().map(|record| record.entry.event).collect();
    assert_eq!(events, ["approval.asked", "enforcement.bypassed", "approval.answered"]);
}

#[test]
fn answer_names_the_record_of_its_request() {
    let fixture = GuardFixture::new();
    let nothing = Activation::default();
    let plain = context(Enforcement::Active, &fixture.skills, &nothing);
    let asks = CallContext { app_policy: Some(PolicyVerdict::ask("not on the list")), ..plain };
    let [first, second] = [(); 2].map(|()| pending(fixture.guard.authorize(call("exec"), &asks, now())));
    let _ = fixture.guard.decline(second, &asks, now());
    let _ = allowed(fixture.guard.approve(first, &asks, now()));
    let asked = |id| explain(&fixture.audit, id).unwrap().detail.get("asked").cloned();
    assert_eq!([1, 2, 3, 4].map(asked), [None, None, Some("2".to_owned()), Some("1".to_owned())]);
}

#[test]
fn refused_dispatch_names_its_skill() {
    let fixture = GuardFixture::new();
    let mine = SkillPermissions::resolve(subject("mine", TrustTier::Local, &[]), &SkillRecords::default());
    let weather =
        SkillPermissions::resolve(subject("weather", TrustTier::Community, &[]), &SkillRecords::default());
    let (snapshot, session) = (skills(&[&mine, &weather]), active(&["weather"]));
    let context = context(Enforcement::Active, &snapshot, &session);
    for name in ["weather", "mine"] {
        let call = Call { dispatched_by: Some(id(name)), ..call("exec") };
        let refusal = denied(fixture.guard.authorize(call, &context, now()));
        let explanation = explain(&fixture.audit, refusal.id.unwrap()).unwrap();
        let skill = explanation.skill.as_deref();
        assert_eq!((explanation.event.as_str(), skill), ("dispatch.refused", Some("weather")));
        assert_eq!(explanation.detail["dispatchedBy"], name);
    }
}

#[test]
fn refused_dispatch_is_recorded_whatever_the_tool_is() {
    let fixture = GuardFixture::new();
    let weather =
        SkillPermissions::resolve(subject("weather", TrustTier::Community, &[]), &SkillRecords::default());
    let (snapshot, session) = (skills(&[&weather]), active(&["weather"]));
    let context = context(Enforcement::Active, &snapshot, &session);
    let dispatched = |tool: &str| Call { dispatched_by: Some(id("weather")), ..call(tool) };
    for tool in ["gateway", "nodes", "exec", "teleport"] {
        let refusal = fixture.guard.refuse_impossible(&dispatched(tool), &context, now()).unwrap();
        let explanation = explain(&fixture.audit, refusal.id.unwrap()).unwrap();
        assert_eq!(
            (explanation.event.as_str(), explanation.tool.as_deref()),
            ("dispatch.refused", Some(tool))
        );
    }
    // A tool that needs no capability is denied by the tool policy.
    assert_eq!(fixture.guard.refuse_impossible(&dispatched("read"), &context, now()), None);
    let absent = CallContext { tool_policy: PolicyVerdict::deny("not there"), ..context };
    let refusal = fixture.guard.refuse_impossible(&dispatched("read"), &absent, now()).unwrap();
    assert_eq!(explain(&fixture.audit, refusal.id.unwrap()).unwrap().event, "dispatch.refused");
    // Nothing is asked about a call that cannot be made.
    let asks = CallContext { tool_policy: PolicyVerdict::ask("hm"), ..absent };
    assert_eq!(fixture.guard.refuse_impossible(&dispatched("read"), &asks, now()), None);
    assert_eq!(fixture.records().len(), 5);
}

#[test]
fn restricted_shell_without_a_list_asks_for_each_program() {
    let fixture = GuardFixture::new();
    let restricted = json!([{ "name": "shell.exec", "constraints": { "mode": "restricted" } }]);
    let declared = DeclaredCapabilities::parse(Some(&restricted));
    let subject = SkillSubject { declared, ..subject("pusher", TrustTier::Community, &[]) };
    let mut records = SkillRecords::default();
    records.seen.insert("pusher".to_owned(), pinned('a', &[Capability::Shell]));
    let pusher = SkillPermissions::resolve(subject.clone(), &records);
    let (snapshot, session) = (skills(&[&pusher]), active(&["pusher"]));
    let run = |programs: &[&str]| {
        let program =
            |name: &&str| Program { written: (*name).to_owned(), path: PathBuf::from("/usr/bin").join(name) };
        let programs = (!programs.is_empty()).then(|| programs.iter().map(program).collect());
        Call { facts: CallFacts { programs, ..CallFacts::default() }, ..call("exec") }
    };
    for mode in [Enforcement::Active, Enforcement::Loaded] {
        let context = context(mode, &snapshot, &session);
        let asked = pending(fixture.guard.authorize(run(&["git", "gh"]), &context, now()));
        let [question] = asked.questions() else { panic!("{:?}", asked.questions()) };
        assert_eq!(
            question.message,
            "the skill pusher restricts shell: each program needs your approval: /usr/bin/git, /usr/bin/gh"
        );
        assert_eq!(question.skill.as_deref(), Some("pusher"));
        let _ = allowed(fixture.guard.approve(asked, &context, now()));
        // A call whose programs are not known is not asked about.
        let refusal = denied(fixture.guard.authorize(run(&[]), &context, now()));
        assert!(
            refusal.reasons[0].message.contains("which programs it would use is not known"),
            "{refusal:?}"
        );
    }
    // A grant lifts the restriction.
    records.grants.insert("pusher".to_owned(), pinned('a', &[Capability::Shell]));
    let snapshot = skills(&[&SkillPermissions::resolve(subject, &records)]);
    let context = context(Enforcement::Active, &snapshot, &session);
    let _ = allowed(fixture.guard.authorize(run(&["git"]), &context, now()));
}

#[test]
fn unrecordable_decision_is_denied() {
    let fixture = GuardFixture::new();
    fixture.break_chain();
    let session = active(&["weather"]);
    let off = context(Enforcement::Off, &fixture.skills, &session);
    let refusal = denied(fixture.guard.authorize(call("exec"), &off, now()));
    assert_eq!((refusal.id, refusal.reasons[0].inspector), (None, Inspector::Record));
    let asks = CallContext { app_policy: Some(PolicyVerdict::ask("not on the list")), ..off.clone() };
    let refusal = denied(fixture.guard.authorize(call("exec"), &asks, now()));
    assert_eq!(refusal.reasons[0].inspector, Inspector::Record);
    let on = CallContext { enforcement: Enforcement::Active, ..off.clone() };
    let refusal = denied(fixture.guard.authorize(call("exec"), &on, now()));
    assert_eq!((refusal.id, refusal.reasons[0].inspector), (None, Inspector::Capabilities));
    assert!(!Problem::from(refusal).notes.iter().any(|note| note.contains("explain")));
    // What needs no record is not held up.
    allowed(fixture.guard.authorize(call("read"), &off, now())).redeem("agent:main:main", now()).unwrap();
    assert_eq!(fixture.audit.lost(), 3);
}

#[test]
fn approval_covers_only_the_questions_that_were_asked() {
    let fixture = GuardFixture::new();
    let nothing = Activation::default();
    let plain = context(Enforcement::Active, &fixture.skills, &nothing);
    let asks =
        CallContext { app_policy: Some(PolicyVerdict::ask("rsync is not on the list")), ..plain.clone() };
    let ask = || pending(fixture.guard.authorize(call("exec"), &asks, now()));
    let question = ask();
    assert_eq!((question.call(), question.id()), (&call("exec"), 1));
    assert_eq!(
        question.questions().iter().map(|reason| &*reason.message).collect::<Vec<_>>(),
        ["rsync is not on the list"]
    );
    let Redeemed { tool, .. } =
        allowed(fixture.guard.approve(question, &asks, now())).redeem("agent:main:main", now()).unwrap();
    assert_eq!(tool, "exec");
    // The list has it by now.
    let _ = allowed(fixture.guard.approve(ask(), &plain, now()));
    // Something else is asked by now.
    let other = CallContext { tool_policy: PolicyVerdict::ask("the tool needs approval"), ..asks.clone() };
    assert_eq!(pending(fixture.guard.approve(ask(), &other, now())).questions().len(), 2);
    // A community skill without shell is active by now.
    let session = active(&["weather"]);
    let tainted = CallContext { active: &session, ..asks.clone() };
    assert_eq!(denied(fixture.guard.approve(ask(), &tainted, now())).reasons[0].verdict, Verdict::Deny);
    let other_context = CallContext { session: "agent:main:other", ..asks.clone() };
    assert_eq!(
        denied(fixture.guard.approve(ask(), &other_context, now())).reasons[0].message,
        "the approval belongs to another session"
    );
    let events: Vec<String> = fixture.records().into_iter().map(|record| record.entry.event).collect();
    let asked = "approval.asked";
    let answered = "approval.answered";
    let expected =
        [asked, answered, asked, answered, asked, asked, asked, "capability.refused", asked, "tool.refused"];
    assert_eq!(events, expected);
}

#[test]
fn decline_works_without_audit() {
    let fixture = GuardFixture::new();
    let nothing = Activation::default();
    let plain = context(Enforcement::Active, &fixture.skills, &nothing);
    let asks = CallContext { app_policy: Some(PolicyVerdict::ask("rsync is not on the list")), ..plain };
    let question = pending(fixture.guard.authorize(call("exec"), &asks, now()));
    let broken = pending(fixture.guard.authorize(call("exec"), &asks, now()));
    let refusal = fixture.guard.decline(question, &asks, now());
    assert_eq!(refusal.id, Some(3));
    assert_eq!(explain(&fixture.audit, 3).unwrap().decision.as_deref(), Some("declined"));
    fixture.break_chain();
    assert_eq!(fixture.guard.decline(broken, &asks, now()).id, None);
}

#[test]
fn explanation_lists_reasons_and_active_skills() {
    let fixture = GuardFixture::new();
    let session = active(&["weather"]);
    let refusal = denied(fixture.guard.authorize(
        call("exec"),
        &context(Enforcement::Active, &fixture.skills, &session),
        now(),
    ));
    let explanation = explain(&fixture.audit, refusal.id.unwrap()).unwrap();
    assert_eq!(explanation.reasons, refusal.reasons);
    assert_eq!((explanation.left_out, explanation.event.as_str()), (0, "capability.refused"));
    assert_eq!(explanation.active, ["weather (community: its files were read)"]);
    assert_eq!(
        (explanation.ts.as_str(), explanation.tool.as_deref()),
        ("2026-11-16T12:00:00Z", Some("exec"))
    );
    // A record that is no decision about a call has an answer too.
    fixture
        .audit
        .record(
            AuditEntry {
                app: Some("notes".into()),
                ..AuditEntry::security("app.launch", RecordSeverity::Info)
            },
            now(),
        )
        .unwrap();
    let launch = explain(&fixture.audit, 2).unwrap();
    assert_eq!(
        (launch.event.as_str(), launch.app.as_deref(), launch.reasons.len()),
        ("app.launch", Some("notes"), 0)
    );
    for id in [0, 3, u64::MAX] {
        let error = explain(&fixture.audit, id).unwrap_err();
        assert!(matches!(error, GuardError::NoRecord { .. }), "{error}");
        assert_eq!(Problem::from(error).code, ErrorCode::NotFound);
    }
}

#[test]
fn explanation_of_a_grant_lists_its_details() {
    let fixture = GuardFixture::new();
    let grant = Pinned { hash: hash('a'), capabilities: [Capability::Shell, Capability::Network].into() };
    let change_ = SkillRecordChange::Grant { name: "weather".into(), grant };
    let by = ChangeOrigin { surface: "terminal".into(), agent: None };
    apply_change(&fixture.home, Ok(&fixture.audit), &change_, &by, now()).unwrap();
    let explanation = explain(&fixture.audit, 1).unwrap();
    let expected = [
        ("capabilities", "shell, network".to_owned()),
        ("hash", hash('a').to_string()),
        ("surface", "terminal".to_owned()),
    ];
    assert_eq!(explanation.detail, expected.map(|(key, value)| (key.to_owned(), value)).into());
    assert_eq!((explanation.event.as_str(), explanation.unverified), ("skill.grant", None));
    // What a record says is not to drive a terminal.
    let mut line = AuditEntry::security("x", RecordSeverity::Info);
    line.detail.insert("a\u{1b}[31m".into(), json!({"deep": ["b\u{202e}", 1]}));
    line.detail.insert("nothing".into(), json!(null));
    fixture.audit.record(line, now()).unwrap();
    let detail = explain(&fixture.audit, 2).unwrap().detail;
    assert_eq!(detail, [("a".to_owned(), r#"{"deep":["b",1]}"#.to_owned())].into());
}

#[test]
fn tampered_record_is_explained_as_unverified() {
    let fixture = GuardFixture::new();
    for event in ["one", "two", "three"] {
        fixture.audit.record(AuditEntry::security(event, RecordSeverity::Info), now()).unwrap();
    }
    let path = fixture.home.audit_dir().join("2026-11.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("\"two\"", "\"owt\"")).unwrap();
    let audit = Audit::open(&fixture.home, None).unwrap();
    let unverified = |id| explain(&audit, id).unwrap().unverified;
    assert_eq!(unverified(1), None);
    for id in [2, 3] {
        let why = unverified(id).unwrap();
        assert!(why.ends_with(":2: the line was changed, or sealed with another key"), "{why}");
    }
    assert_eq!(explain(&audit, 2).unwrap().event, "owt");
}

#[test]
fn record_is_bounded_and_counts_what_was_left_out() {
    let fixture = GuardFixture::new();
    let names: Vec<String> = (0..300).map(|number| format!("skill-{number}-{}", "é\"".repeat(100))).collect();
    let permissions: Vec<_> = names
        .iter()
        .map(|name| {
            SkillPermissions::resolve(subject(name, TrustTier::Community, &[]), &SkillRecords::default())
        })
        .collect();
    let skills: SkillSet = permissions.into_iter().collect();
    let session = active(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let long = PolicyVerdict {
        remedy: Some("r".repeat(100_000)),
        ..PolicyVerdict::deny("\u{1F980}\"\u{1}".repeat(100_000))
    };
    let context = CallContext { tool_policy: long, ..context(Enforcement::Active, &skills, &session) };
    let hostile = Call { tool: format!("exec\u{1b}[31m{}", "x".repeat(10_000)), ..call("exec") };
    for (call, fits) in [(call("exec"), false), (hostile, true)] {
        let refusal = denied(fixture.guard.authorize(call, &context, now()));
        let explanation = explain(&fixture.audit, refusal.id.unwrap()).unwrap();
        assert_eq!(explanation.reasons.len() as u64 + explanation.left_out, refusal.reasons.len() as u64);
        assert_eq!(explanation.left_out == 0, fits, "{explanation:?}");
        // The strictest is kept whatever it is.
        assert!(!explanation.reasons.is_empty(), "{explanation:?}");
        assert!(!explanation.active.is_empty());
        let last = explanation.active.last().unwrap();
        assert!(last.starts_with("and ") && last.ends_with(" more"), "{last}");
        assert!(explanation.tool.unwrap().chars().count() <= 81);
    }
    assert!(fixture.audit.verify().unwrap().first_bad.is_none());
}

#[test]
fn control_file_needs_approval_while_a_community_skill_is_active() {
    let fixture = GuardFixture::new();
    let (nothing, weather) = (Activation::default(), active(&["weather"]));
    let mut own = Activation::default();
    own.activate(id("notes"), TrustTier::Local, ActivationCause::Read);
    let read = |control_files: &[&str]| {
        let mut call = call("read");
        call.facts.control_files = control_files.iter().map(Into::into).collect();
        call
    };
    fn verdict(
        fixture: &GuardFixture,
        call: &Call,
        enforcement: Enforcement,
        active: &Activation,
    ) -> Verdict {
        decide(call, &context(enforcement, &fixture.skills, active)).verdict
    }
    let (steering, plain) = (read(&["/w/AGENTS.md"]), read(&[]));
    assert_eq!(verdict(&fixture, &steering, Enforcement::Active, &weather), Verdict::Ask);
    assert_eq!(verdict(&fixture, &steering, Enforcement::Loaded, &Activation::unknown()), Verdict::Ask);
    for (call, enforcement, active) in [
        (&steering, Enforcement::Active, &nothing),
        (&steering, Enforcement::Active, &own),
        (&steering, Enforcement::Off, &weather),
        (&plain, Enforcement::Active, &weather),
    ] {
        assert_eq!(verdict(&fixture, call, enforcement, active), Verdict::Allow, "{enforcement:?}");
    }
    let decision = decide(&steering, &context(Enforcement::Active, &fixture.skills, &weather));
    let reason = &decision.reasons[0];
    assert_eq!(reason.inspector, Inspector::ControlFiles);
    assert_eq!(
        reason.message,
        "AGENTS.md steers the agent or is its memory, and the skill weather is active, which somebody else wrote"
    );
}

/// A community skill whose network capability is confirmed, or granted without its limits.
fn network_skill(name: &str, hosts: &[&str], is_granted: bool) -> SkillPermissions {
    let declared = json!([{ "name": "network", "constraints": { "hosts": hosts } }]);
    let declared = DeclaredCapabilities::parse(Some(&declared));
    let subject = SkillSubject { declared, ..subject(name, TrustTier::Community, &[]) };
    let pinned = Pinned { hash: hash('a'), capabilities: [Capability::Network].into() };
    let mut records = SkillRecords::default();
    let list = if is_granted { &mut records.grants } else { &mut records.seen };
    list.insert(name.to_owned(), pinned);
    SkillPermissions::resolve(subject, &records)
}

/// The mode, the loaded skills, the active ones, and the permitted hosts.
type HostCase<'a> = (Enforcement, &'a [&'a SkillPermissions], &'a [&'a str], &'a [&'a str]);

#[test]
fn permitted_hosts_are_those_of_the_restricting_skills() {
    let fixture = GuardFixture::new();
    let one = network_skill("one", &["a.org", "b.org"], false);
    let two = network_skill("two", &["a.org", "c.org"], false);
    let granted = network_skill("granted", &["a.org"], true);
    let all = ["a.org", "b.org", "c.org", "d.org"];
    let table: [HostCase<'_>; 8] = [
        (Enforcement::Active, &[], &[], &all),
        (Enforcement::Active, &[&one, &two], &[], &all),
        (Enforcement::Active, &[&one, &two], &["one"], &["a.org", "b.org"]),
        (Enforcement::Active, &[&one, &two], &["one", "two"], &["a.org"]),
        (Enforcement::Active, &[&granted], &["granted"], &all),
        (Enforcement::Loaded, &[&one, &two], &[], &["a.org", "b.org", "c.org"]),
        (Enforcement::Loaded, &[&one, &granted], &[], &all),
        (Enforcement::Off, &[&one], &["one"], &all),
    ];
    for (enforcement, loaded, names, expected) in table {
        let (set, activation) = (skills(loaded), active(names));
        let facts = CallFacts { hosts: Some(vec!["a.org".to_owned()]), ..CallFacts::default() };
        let call = Call { facts, ..call("web_fetch") };
        let context = context(enforcement, &set, &activation);
        let authorized = allowed(fixture.guard.authorize(call, &context, now()));
        let judged = authorized.redeem("agent:main:main", now()).unwrap();
        let permitted: Vec<&str> =
            all.into_iter().filter(|host| judged.hosts.refusal(host).is_none()).collect();
        assert_eq!(permitted, expected, "{enforcement:?} {names:?}");
    }
}

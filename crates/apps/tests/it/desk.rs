//! The desk: whatever a surface asks for, the policy and the audit chain come first.

use std::fs;
use std::sync::Arc;

use tarsus_apps::conversation::{Conversation, Event, Language, Said};
use tarsus_apps::desk::{Asker, Desk, DeskError, Surface};
use tarsus_apps::{Change, Policy, Registry, RegistryError, Seen, Stopper, Why};
use tarsus_audit::{Audit, Filter};
use tarsus_home::{Choice, Home};
use tarsus_host::Clock;
use tarsus_protocol::{ErrorCode, Problem};
use tempfile::TempDir;

const OFF: &str = r#"{ "Game": { "launch_path": "/bin/true", "mode": "off", "allowed_agents": [] } }"#;

struct Room {
    _folder: TempDir,
    home: Home,
    audit: Arc<Audit>,
}

impl Room {
    fn with(registry: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let choice = Choice { state_flag: Some(folder.path().into()), ..Choice::default() };
        let home = Home::locate(&choice).unwrap();
        let path = Registry::of(&home).path().to_path_buf();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, registry).unwrap();
        let audit = Arc::new(Audit::open(&home).unwrap());
        Self { _folder: folder, home, audit }
    }

    fn desk(&self, audit: Result<Arc<Audit>, Problem>) -> Desk {
        let asker = Asker { agent: "writer".into(), session: Some("agent:writer:main".into()) };
        Desk::new(&self.home, audit, Clock::fixed(0).0, asker, Vec::new())
    }

    /// Event, decision and session of every line.
    fn lines(&self) -> Vec<String> {
        let records = self.audit.tail(&Filter::default()).unwrap().records;
        let word = |word: Option<String>| word.unwrap_or_else(|| "-".into());
        let line = |entry: tarsus_audit::Entry| {
            format!("{} {} {}", entry.event, word(entry.decision), word(entry.session_key))
        };
        records.into_iter().map(|record| line(record.entry)).collect()
    }
}

fn broken() -> Problem {
    Problem::new(ErrorCode::Tampered, "the audit chain does not hold")
}

#[tokio::test]
async fn a_refusal_is_recorded_with_its_session_and_works_without_a_chain() {
    let room = Room::with(OFF);
    for audit in [Ok(Arc::clone(&room.audit)), Err(broken())] {
        let desk = room.desk(audit);
        let launch = desk.launch("Game").await.unwrap_err();
        assert!(matches!(launch, DeskError::Denied(denied) if denied.why == Why::Off));
        let stop = desk.stop("Game", Stopper::Person { confirmed: false }).await.unwrap_err();
        assert!(matches!(stop, DeskError::Denied(denied) if denied.why == Why::OffNeedsYes));
    }
    assert_eq!(room.lines(), ["app.launch denied agent:writer:main", "app.stop denied agent:writer:main"]);
}

#[tokio::test]
async fn what_cannot_be_recorded_is_neither_launched_nor_saved() {
    let room = Room::with(&OFF.replace("off", "full"));
    let desk = room.desk(Err(broken()));
    let before = desk.load().unwrap();
    assert!(matches!(desk.launch("Game").await, Err(DeskError::NotRecorded(_))));
    let off = Change::policy("Game", Policy::Off);
    let problem = Problem::from(desk.save(&off, before.seen()).unwrap_err());
    assert_eq!(problem.code, ErrorCode::Tampered);
    assert_eq!(desk.load().unwrap(), before);
    assert_eq!(room.lines(), [""; 0]);
}

#[test]
fn a_change_for_another_version_saves_nothing_and_records_nothing() {
    let room = Room::with(OFF);
    let desk = room.desk(Ok(Arc::clone(&room.audit)));
    let shown = desk.load().unwrap();
    let full = Change::policy("Game", Policy::Full);
    assert!(desk.save(&full, shown.seen()).unwrap().changed);
    let delete = Change::Delete { name: "Game".into() };
    let error = desk.save(&delete, shown.seen()).unwrap_err();
    assert!(
        matches!(error, DeskError::Registry(RegistryError::Stale { current, .. }) if current.apps.len() == 1)
    );
    assert!(!desk.save(&full, Seen::Any).unwrap().changed, "what says the same is no change");
    assert_eq!(room.lines(), ["app.edit allowed agent:writer:main"]);
}

#[tokio::test]
async fn a_conversation_that_is_refused_says_so_and_is_recorded() {
    let room = Room::with(OFF);
    let desk = room.desk(Ok(Arc::clone(&room.audit)));
    let surface =
        Surface { registry_path: "~/r".into(), person: false, model: true, locale: Language::English };
    for (line, refused, passed_on) in [
        ("open game", true, false),
        ("stop game", true, false),
        ("打开 game", true, false),
        ("run the tests", false, true),
    ] {
        let talked = desk.talk(Conversation::default(), Event::Line(line), &surface).await;
        assert_eq!((talked.run.is_some(), talked.passed_on), (refused, passed_on), "{line}");
        assert!(!talked.conversation.is_open(), "{line}");
    }
    let denied = ["app.launch denied", "app.stop denied", "app.launch denied"];
    assert_eq!(room.lines(), denied.map(|line| format!("{line} agent:writer:main")));
}

#[tokio::test]
async fn a_path_is_warned_about_only_when_nothing_there_could_be_launched_or_run() {
    let room = Room::with("{}");
    let desk = room.desk(Ok(Arc::clone(&room.audit)));
    let surface =
        Surface { registry_path: "~/r".into(), person: true, model: false, locale: Language::English };
    let of_this_system: &[(&str, bool, bool)] = if cfg!(windows) {
        &[
            (r"C:\Windows\System32\cmd.exe", false, false),
            (r#"" C:\Windows\System32\cmd.exe ""#, false, false),
            (r"\\server\share\app.exe", false, false),
            (r"C:\Windows", false, true),
            (r"C:\nowhere\app.exe", true, true),
        ]
    } else {
        &[
            ("/bin/sh", false, false),
            ("\" /bin/sh \"", false, false),
            ("sh", false, true),
            ("/bin", false, true),
            ("bin/sh", true, true),
            ("/nowhere/at/all", true, true),
        ]
    };
    let of_any = &[("steam://run/1", false, true), ("no-such-program-1", true, true)];
    for &(path, no_launch, no_program) in of_this_system.iter().chain(of_any) {
        let mut talked = desk.talk(Conversation::default(), Event::Open, &surface).await;
        for line in ["add", "X"] {
            talked = desk.talk(talked.conversation, Event::Line(line), &surface).await;
        }
        for warned in [no_launch, no_program] {
            talked = desk.talk(talked.conversation, Event::Line(path), &surface).await;
            let said = &talked.replies[0].said;
            assert_eq!(matches!(said.as_slice(), [Said::PathMissing { .. }]), warned, "{path} {said:?}");
        }
    }
}

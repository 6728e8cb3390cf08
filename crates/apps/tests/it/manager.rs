//! The application manager: the launch policy and the audit log come before every action.

use std::fs;
use std::sync::Arc;

use tarsus_apps::conversation::{Conversation, ConversationEvent, Language, Notice};
use tarsus_apps::manager::{AppManager, ConversationOptions, ManagerError, Requester};
use tarsus_apps::{
    App, AppMode, BaseVersion, DenialReason, Registry, RegistryChange, RegistryError, Stopper,
};
use tarsus_audit::{Audit, RecordFilter};
use tarsus_home::{Home, HomeOptions};
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
        let choice = HomeOptions { state_flag: Some(folder.path().into()), ..HomeOptions::default() };
        let home = Home::locate(&choice).unwrap();
        let path = Registry::for_home(&home).path().to_path_buf();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, registry).unwrap();
        let audit = Arc::new(Audit::open(&home, None).unwrap());
        Self { _folder: folder, home, audit }
    }

    fn manager(&self, audit: Result<Arc<Audit>, Problem>) -> AppManager {
        let requester = Requester { agent: "writer".into(), session: Some("agent:writer:main".into()) };
        AppManager::new(&self.home, audit, Clock::fixed(0).0, requester, Vec::new())
    }

    /// Event, decision and session of every line.
    fn lines(&self) -> Vec<String> {
        let records = self.audit.tail(&RecordFilter::default()).unwrap().records;
        let word = |word: Option<String>| word.unwrap_or_else(|| "-".into());
        let line = |entry: tarsus_audit::AuditEntry| {
            format!("{} {} {}", entry.event, word(entry.decision), word(entry.session_key))
        };
        records.into_iter().map(|record| line(record.entry)).collect()
    }
}

fn game(manager: &AppManager) -> App {
    manager.load().unwrap().app("Game").unwrap().clone()
}

fn broken() -> Problem {
    Problem::new(ErrorCode::Tampered, "the audit chain is broken")
}

#[tokio::test]
async fn denial_is_recorded_and_works_without_an_audit_log() {
    let room = Room::with(OFF);
    for audit in [Ok(Arc::clone(&room.audit)), Err(broken())] {
        let manager = room.manager(audit);
        let launch = manager.launch(&game(&manager)).await.unwrap_err();
        assert!(matches!(launch, ManagerError::Denied(denied) if denied.reason == DenialReason::Off));
        let stop = manager.stop(&game(&manager), Stopper::Person { confirmed: false }).await.unwrap_err();
        assert!(matches!(stop, ManagerError::Denied(denied) if denied.reason == DenialReason::OffNeedsYes));
    }
    assert_eq!(room.lines(), ["app.launch denied agent:writer:main", "app.stop denied agent:writer:main"]);
}

#[tokio::test]
async fn unrecorded_actions_do_not_happen() {
    let room = Room::with(&OFF.replace("off", "full"));
    let manager = room.manager(Err(broken()));
    let before = manager.load().unwrap();
    assert!(matches!(manager.launch(&game(&manager)).await, Err(ManagerError::NotRecorded(_))));
    let off = RegistryChange::policy("Game", AppMode::Off, [""; 0]);
    let problem = Problem::from(manager.save(&off, before.version()).unwrap_err());
    assert_eq!(problem.code, ErrorCode::Tampered);
    assert_eq!(manager.load().unwrap(), before);
    assert_eq!(room.lines(), [""; 0]);
}

#[test]
fn stale_change_saves_and_records_nothing() {
    let room = Room::with(OFF);
    let manager = room.manager(Ok(Arc::clone(&room.audit)));
    let shown = manager.load().unwrap();
    let full = RegistryChange::policy("Game", AppMode::Full, [""; 0]);
    assert!(manager.save(&full, shown.version()).unwrap().changed);
    let delete = RegistryChange::Delete { name: "Game".into() };
    let error = manager.save(&delete, shown.version()).unwrap_err();
    assert!(
        matches!(error, ManagerError::Registry(RegistryError::Stale { current, .. }) if current.apps.len() == 1)
    );
    assert!(!manager.save(&full, BaseVersion::Any).unwrap().changed, "the same values are no change");
    assert_eq!(room.lines(), ["app.edit allowed agent:writer:main"]);
}

#[tokio::test]
async fn denied_request_in_a_conversation_is_recorded() {
    let room = Room::with(OFF);
    let manager = room.manager(Ok(Arc::clone(&room.audit)));
    let options = ConversationOptions {
        registry_path: "~/r".into(),
        person: false,
        model: true,
        locale: Language::English,
    };
    for (line, refused, passed_on) in [
        ("open game", true, false),
        ("stop game", true, false),
        ("打开 game", true, false),
        ("run the tests", false, true),
    ] {
        let update = manager.handle(Conversation::default(), ConversationEvent::Line(line), &options).await;
        assert_eq!((update.run.is_some(), update.passed_on), (refused, passed_on), "{line}");
        assert!(!update.conversation.is_open(), "{line}");
    }
    let denied = ["app.launch denied", "app.stop denied", "app.launch denied"];
    assert_eq!(room.lines(), denied.map(|line| format!("{line} agent:writer:main")));
}

#[tokio::test]
async fn missing_path_is_warned_about() {
    let room = Room::with("{}");
    let manager = room.manager(Ok(Arc::clone(&room.audit)));
    let options = ConversationOptions {
        registry_path: "~/r".into(),
        person: true,
        model: false,
        locale: Language::English,
    };
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
        let mut update = manager.handle(Conversation::default(), ConversationEvent::Open, &options).await;
        for line in ["add", "X"] {
            update = manager.handle(update.conversation, ConversationEvent::Line(line), &options).await;
        }
        for warned in [no_launch, no_program] {
            update = manager.handle(update.conversation, ConversationEvent::Line(path), &options).await;
            let notices = &update.replies[0].notices;
            assert_eq!(
                matches!(notices.as_slice(), [Notice::PathMissing { .. }]),
                warned,
                "{path} {notices:?}"
            );
        }
    }
}

#[tokio::test]
async fn policy_is_checked_again_before_a_conversation_acts() {
    let room = Room::with(&OFF.replace("\"off\"", "\"full\""));
    let manager = room.manager(Ok(Arc::clone(&room.audit)));
    let options = ConversationOptions {
        registry_path: "~/r".into(),
        person: false,
        model: true,
        locale: Language::English,
    };
    let registry = Registry::for_home(&room.home).path().to_path_buf();
    for line in ["open game", "stop game"] {
        fs::write(&registry, OFF.replace("\"off\"", "\"full\"")).unwrap();
        let pending = manager.decide(Conversation::default(), ConversationEvent::Line(line), &options);
        fs::write(&registry, OFF).unwrap();
        let update = manager.carry_out(pending, &options, &|| true).await;
        assert!(update.run.is_none(), "{line}: {:?}", update.run);
    }
    let denied = ["app.launch denied", "app.stop denied"];
    assert_eq!(room.lines(), denied.map(|line| format!("{line} agent:writer:main")));
}

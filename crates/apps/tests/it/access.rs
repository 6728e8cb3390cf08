//! Validation of entries, and the launch policy.

use std::fs;

use proptest::prelude::*;
use tarsus_apps::{
    App, AppFault, AppGroup, AppMode, DenialReason, Registry, Stopper, authorize_launch, authorize_stop,
};
use tarsus_home::{Home, HomeOptions};
use tarsus_protocol::apps_fault::ValueKind;
use tarsus_protocol::{ErrorCode, Problem};

/// The app with this entry.
fn app(written: &str) -> App {
    let folder = tempfile::tempdir().unwrap();
    let state_flag = Some(folder.path().to_path_buf());
    let registry =
        Registry::for_home(&Home::locate(&HomeOptions { state_flag, ..HomeOptions::default() }).unwrap());
    fs::create_dir_all(registry.path().parent().unwrap()).unwrap();
    fs::write(registry.path(), format!("{{\"Last Z\": {written}}}")).unwrap();
    registry.load().unwrap().apps.remove(0)
}

#[test]
fn entry_is_in_the_first_group_with_every_fault() {
    use AppGroup::{Incomplete, Malformed, PolicyMismatch, Valid};
    let text = |field: &str, found| AppFault::NotText { field: field.to_owned(), found };
    let missing = |field: &str| AppFault::Missing { field: field.to_owned() };
    let table: &[(&str, AppGroup, &[AppFault])] = &[
        (r#"{"launch_path": "/a", "mode": "full", "allowed_agents": []}"#, Valid, &[]),
        (r#"{"launch_path": "/a", "mode": "off", "allowed_agents": [], "x": 1}"#, Valid, &[]),
        (r#"{"launch_path": "/a", "mode": "allowlist", "allowed_agents": ["b"]}"#, Valid, &[]),
        (
            r#"{"launch_path": "/a", "mode": "full", "allowed_agents": [], "runtime_exe": "", "process_name": ""}"#,
            Valid,
            &[],
        ),
        ("[]", Malformed, &[AppFault::NotAnObject { found: ValueKind::List }]),
        ("\"/a\"", Malformed, &[AppFault::NotAnObject { found: ValueKind::String }]),
        (
            r#"{"launch_path": 1, "mode": null, "allowed_agents": {}, "runtime_exe": [], "process_name": false}"#,
            Malformed,
            &[
                text("launch_path", ValueKind::Number),
                text("runtime_exe", ValueKind::List),
                text("process_name", ValueKind::Boolean),
                text("mode", ValueKind::Null),
                AppFault::AgentsNotAList { found: ValueKind::Object },
            ],
        ),
        (
            r#"{"mode": "Full", "allowed_agents": ["a", 1, null]}"#,
            Malformed,
            &[
                AppFault::AgentNotText { position: 2, found: ValueKind::Number },
                AppFault::AgentNotText { position: 3, found: ValueKind::Null },
                AppFault::UnknownMode { mode: "Full".to_owned() },
                missing("launch_path"),
            ],
        ),
        (
            r#"{"launch_path": "/a", "mode": "off", "allowed_agents": ["a"], "process_name": 1}"#,
            Malformed,
            &[text("process_name", ValueKind::Number), AppFault::AgentsLeftOver { mode: AppMode::Off }],
        ),
        ("{}", Incomplete, &[missing("launch_path"), missing("mode"), missing("allowed_agents")]),
        (
            r#"{"launch_path": " ", "mode": "", "allowed_agents": []}"#,
            Incomplete,
            &[missing("launch_path"), missing("mode")],
        ),
        (
            r#"{"mode": "allowlist", "allowed_agents": []}"#,
            Incomplete,
            &[missing("launch_path"), AppFault::NobodyListed],
        ),
        (r#"{"launch_path": "/a", "mode": "allowlist"}"#, Incomplete, &[missing("allowed_agents")]),
        (
            r#"{"launch_path": "/a", "mode": "allowlist", "allowed_agents": []}"#,
            PolicyMismatch,
            &[AppFault::NobodyListed],
        ),
        (
            r#"{"launch_path": "/a", "mode": "allowlist", "allowed_agents": [""]}"#,
            PolicyMismatch,
            &[AppFault::NobodyListed],
        ),
        (
            r#"{"launch_path": "/a", "mode": "full", "allowed_agents": ["b"]}"#,
            PolicyMismatch,
            &[AppFault::AgentsLeftOver { mode: AppMode::Full }],
        ),
        (
            r#"{"launch_path": "/a", "mode": "off", "allowed_agents": ["b"]}"#,
            PolicyMismatch,
            &[AppFault::AgentsLeftOver { mode: AppMode::Off }],
        ),
    ];
    for (written, group, reasons) in table {
        let app = app(written);
        assert_eq!((app.group, app.faults.as_slice()), (*group, *reasons), "{written}");
    }
}

#[test]
fn denial_names_the_reason_and_the_remedy() {
    let table = [
        (
            r#"{"launch_path": "/a", "mode": "off", "allowed_agents": []}"#,
            "Last Z is off: nobody may launch or stop it",
            "`tarsus apps policy \"Last Z\" --mode full` lets any agent launch it",
            vec![],
        ),
        (
            r#"{"launch_path": "/a", "mode": "allowlist", "allowed_agents": ["b", "c"]}"#,
            "the agent main is not on the allowlist of Last Z",
            "`tarsus apps policy \"Last Z\" --mode allowlist --allow b --allow c --allow main` adds the agent",
            vec!["allowed agents: b, c"],
        ),
        (
            r#"{"launch_path": "", "mode": "allowlist", "allowed_agents": []}"#,
            "the entry of Last Z is not valid",
            "`tarsus apps edit \"Last Z\" --allow AGENT --launch-path PATH` sets what is wrong or missing",
            vec!["launch_path is missing or empty", "mode is allowlist, but allowed_agents lists nobody"],
        ),
        (
            "7",
            "the entry of Last Z is not valid",
            "`tarsus apps edit \"Last Z\" --launch-path PATH --mode MODE` sets what is wrong or missing",
            vec!["the entry is a number, not an object"],
        ),
        (
            r#"{"launch_path": "/a", "runtime_exe": 1, "process_name": 2, "mode": "x", "allowed_agents": 3}"#,
            "the entry of Last Z is not valid",
            "`tarsus apps edit \"Last Z\" --clear-process-name --clear-runtime-exe --mode MODE` sets what is wrong or missing",
            vec![
                "runtime_exe is a number, not a string",
                "process_name is a number, not a string",
                "allowed_agents is a number, not a list",
                "mode is \"x\", not full, allowlist or off",
            ],
        ),
    ];
    for (written, message, hint, notes) in table {
        let problem = Problem::from(authorize_launch(&app(written), "main").unwrap_err());
        assert_eq!(problem.code, ErrorCode::Denied);
        assert_eq!((problem.message.as_str(), problem.next_step()), (message, hint));
        assert_eq!(problem.notes, notes);
    }
}

#[test]
fn full_with_leftover_agents_launches_with_a_warning() {
    let app = app(r#"{"launch_path": "/a", "mode": "full", "allowed_agents": ["b"]}"#);
    let allowed = authorize_launch(&app, "main").unwrap();
    assert_eq!(allowed.entry(), &app.entry().unwrap());
    assert_eq!(allowed.warnings(), [AppFault::AgentsLeftOver { mode: AppMode::Full }]);
}

#[test]
fn only_a_confirming_person_stops_an_app_that_is_off() {
    let off = app(r#"{"launch_path": "/a", "mode": "off", "allowed_agents": []}"#);
    let result = |stopper| authorize_stop(&off, "main", stopper).map(drop).map_err(|denied| denied.reason);
    assert_eq!(result(Stopper::Agent), Err(DenialReason::Off));
    assert_eq!(result(Stopper::Person { confirmed: false }), Err(DenialReason::OffNeedsYes));
    assert_eq!(result(Stopper::Person { confirmed: true }), Ok(()));
    let unsure = authorize_stop(&off, "main", Stopper::Person { confirmed: false }).unwrap_err();
    assert_eq!(Problem::from(unsure).code, ErrorCode::NotConfirmed);

    // The confirmation applies to `off` only.
    let listed = app(r#"{"launch_path": "/a", "mode": "allowlist", "allowed_agents": ["b"]}"#);
    for stopper in [Stopper::Agent, Stopper::Person { confirmed: true }] {
        assert!(authorize_stop(&listed, "b", stopper).is_ok());
        assert!(matches!(
            authorize_stop(&listed, "B", stopper).unwrap_err().reason,
            DenialReason::NotListed { .. }
        ));
    }
}

fn json_list(items: &[String]) -> String {
    serde_json::to_string(items).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn policy_allows_exactly_the_listed_agents(
        mode in "full|allowlist|off|Off|OFF| off|",
        agents in proptest::collection::vec("a|A|b|main|ａ| a|", 0..4),
        agent in "a|A|b|main|ａ| a||[a-z]{1,3}",
    ) {
        let list = json_list(&agents);
        let app = app(&format!(r#"{{"launch_path": "/a", "mode": "{mode}", "allowed_agents": {list}}}"#));
        let expected = match mode.as_str() {
            "full" => true,
            "allowlist" => !agent.is_empty() && agents.contains(&agent),
            _ => false,
        };
        prop_assert_eq!(authorize_launch(&app, &agent).is_ok(), expected);
        prop_assert_eq!(authorize_stop(&app, &agent, Stopper::Agent).is_ok(), expected);
    }
}

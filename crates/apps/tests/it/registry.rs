//! The registry file: reading, errors, and changes that keep everything else.

use std::fs;

use proptest::prelude::*;
use serde_json::Value;
use tarsus_apps::{
    App, AppEntry, AppFault, AppGroup, AppMode, AppNameError, AppPatch, BaseVersion, Proposal, RawEntry,
    Registry, RegistryChange, RegistryError, SavedChange,
};
use tarsus_home::{Home, HomeOptions};
use tarsus_protocol::apps_fault::ValueKind;
use tarsus_protocol::rpc::FieldChange;
use tarsus_protocol::{ErrorCode, Problem};
use tempfile::TempDir;

struct Fixture {
    registry: Registry,
    _folder: TempDir,
}

fn empty() -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let state_flag = Some(folder.path().join("state"));
    let home = Home::locate(&HomeOptions { state_flag, ..HomeOptions::default() }).unwrap();
    Fixture { registry: Registry::for_home(&home), _folder: folder }
}

fn with(bytes: impl AsRef<[u8]>) -> Fixture {
    let fixture = empty();
    fs::create_dir_all(fixture.registry.path().parent().unwrap()).unwrap();
    fs::write(fixture.registry.path(), bytes).unwrap();
    fixture
}

impl Fixture {
    fn text(&self) -> String {
        fs::read_to_string(self.registry.path()).unwrap()
    }

    fn save(&self, change: &RegistryChange) -> Result<SavedChange, RegistryError> {
        self.registry.save(change, BaseVersion::Any)
    }
}

const NOBODY: [&str; 0] = [];

fn entry(path: &str, mode: AppMode) -> AppEntry {
    AppEntry::new(path, mode, NOBODY)
}

fn policy(name: &str, mode: AppMode) -> RegistryChange {
    RegistryChange::policy(name, mode, NOBODY)
}

fn add(name: &str) -> RegistryChange {
    RegistryChange::Add { name: name.to_owned(), entry: entry("/bin/true", AppMode::Full) }
}

fn edit(name: &str, patch: AppPatch) -> RegistryChange {
    RegistryChange::Edit { name: name.to_owned(), patch }
}

fn delete(name: &str) -> RegistryChange {
    RegistryChange::Delete { name: name.to_owned() }
}

/// Untidy on purpose: unknown fields, odd numbers, entries that are none, an escape, its own indentation.
const UNTIDY: &str = r#"{
   "Last Z": {
      "note": "kept", "launch_path": "C:\\Z.lnk",
      "weight": 2.50, "big": 1E+2, "huge": 123456789012345678901234567890,
      "process_name": "Z.exe",
      "mode": "allowlist", "allowed_agents": [
         "system_engineer"
      ], "tail": {"b": 1, "a": [ ]}
   },
   "broken": [1.0, {}],
   "\u5fae信": {"launch_path": 7, "mode": "sometimes"},
   "none": null
}
"#;

#[test]
fn reading_a_missing_file_creates_nothing() {
    let Fixture { registry, _folder: folder } = empty();
    let loaded = registry.load().unwrap();
    assert_eq!((loaded.exists(), loaded.hash.clone(), loaded.apps.len()), (false, None, 0));
    assert_eq!(loaded.version(), BaseVersion::NoFile);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);

    for change in [add("A"), edit("A", AppPatch::default()), delete("A")] {
        let problem = Problem::from(registry.save(&change, BaseVersion::Any).unwrap_err());
        assert_eq!(problem.code, ErrorCode::NotFound);
        assert!(problem.next_step().contains("tarsus apps create"), "{problem:?}");
        assert!(!registry.path().exists());
    }
}

#[test]
fn create_writes_an_empty_object_once() {
    let fixture = empty();
    let saved = fixture.registry.save(&RegistryChange::Create, BaseVersion::NoFile).unwrap();
    assert_eq!(fixture.text(), "{}\n");
    assert!(saved.changed);
    assert_eq!(fixture.registry.load().unwrap().hash, Some(saved.hash));

    let again = fixture.save(&RegistryChange::Create).unwrap_err();
    assert!(matches!(again, RegistryError::AlreadyThere { .. }), "{again}");
}

#[test]
fn invalid_file_is_reported_with_its_position() {
    let deep = "[".repeat(5_000);
    let many = format!("[{}0]", "0,".repeat(300_000));
    let table: &[(&[u8], ErrorCode, (u32, u32))] = &[
        (b"", ErrorCode::Malformed, (1, 1)),
        (b"{\"a\": {", ErrorCode::Malformed, (1, 8)),
        (b"[]", ErrorCode::Malformed, (1, 1)),
        (b"\n \"text\"", ErrorCode::Malformed, (2, 2)),
        (b"{\"a\": {},\n \"a\": {}}", ErrorCode::Malformed, (2, 2)),
        (b"{\"a\": {\"mode\": \"off\",\n\"mode\": \"full\"}}", ErrorCode::Malformed, (2, 1)),
        (b"{\n  \"a\": \"\xff\"}", ErrorCode::Malformed, (2, 9)),
        (b"{\n  // a comment\n}", ErrorCode::Malformed, (2, 3)),
        (b"{a: 1}", ErrorCode::Malformed, (1, 2)),
        (b"{\"a\": {},}", ErrorCode::Malformed, (1, 10)),
        (b"{} {}", ErrorCode::Malformed, (1, 4)),
        (deep.as_bytes(), ErrorCode::TooLarge, (1, 129)),
        (many.as_bytes(), ErrorCode::TooLarge, (1, 500_000)),
    ];
    for (bytes, code, (line, column)) in table {
        let fixture = with(bytes);
        let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(40)]);
        for error in [fixture.registry.load().map(drop), fixture.save(&add("B")).map(drop)] {
            let problem = Problem::from(error.unwrap_err());
            let place = problem.location.as_deref().unwrap();
            assert_eq!(
                (problem.code, &*place.path, place.line, place.column),
                (*code, fixture.registry.path(), Some(*line), Some(*column)),
                "{shown}"
            );
        }
        assert_eq!(fs::read(fixture.registry.path()).unwrap(), *bytes, "{shown}");
    }
}

#[test]
fn unreadable_file_is_malformed() {
    let folder = empty();
    fs::create_dir_all(folder.registry.path()).unwrap();
    let large = with("");
    fs::OpenOptions::new().write(true).open(large.registry.path()).unwrap().set_len(100 << 20).unwrap();
    for (fixture, code) in [(folder, ErrorCode::Malformed), (large, ErrorCode::TooLarge)] {
        for error in [fixture.registry.load().map(drop), fixture.save(&add("B")).map(drop)] {
            let problem = Problem::from(error.unwrap_err());
            assert_eq!(problem.code, code, "{problem:?}");
            assert_eq!(problem.location.as_deref().unwrap().path, fixture.registry.path());
        }
    }
}

#[test]
#[cfg(unix)]
fn file_without_permission_is_malformed() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = with("{}");
    fs::set_permissions(fixture.registry.path(), fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(fixture.registry.path()).is_ok() {
        return; // The administrator may read everything.
    }
    let problem = Problem::from(fixture.registry.load().unwrap_err());
    assert_eq!(problem.code, ErrorCode::Malformed, "{problem:?}");
}

#[test]
fn valid_and_invalid_apps_are_read_in_file_order() {
    let loaded = with(UNTIDY).registry.load().unwrap();
    let app = |name: &str| loaded.app(name).unwrap();
    assert_eq!(loaded.names().collect::<Vec<_>>(), ["Last Z", "broken", "微信", "none"]);

    let App { name: _, json, launch_path, runtime_exe, process_name, mode, allowed_agents, group, faults } =
        app("Last Z");
    assert_eq!(&**json, &UNTIDY[15..UNTIDY.find(",\n   \"broken\"").unwrap()]);
    let texts = [launch_path, runtime_exe, process_name].map(Option::as_deref);
    assert_eq!(texts, [Some("C:\\Z.lnk"), None, Some("Z.exe")]);
    assert_eq!(
        (*mode, allowed_agents.as_slice()),
        (Some(AppMode::Allowlist), &["system_engineer".to_owned()][..])
    );
    assert_eq!((*group, faults.as_slice()), (AppGroup::Valid, &[][..]));

    let malformed = [
        ("broken", "[1.0, {}]", vec![AppFault::NotAnObject { found: ValueKind::List }]),
        (
            "微信",
            r#"{"launch_path": 7, "mode": "sometimes"}"#,
            vec![
                AppFault::NotText { field: "launch_path".to_owned(), found: ValueKind::Number },
                AppFault::UnknownMode { mode: "sometimes".to_owned() },
                AppFault::Missing { field: "allowed_agents".to_owned() },
            ],
        ),
        ("none", "null", vec![AppFault::NotAnObject { found: ValueKind::Null }]),
    ];
    for (name, json, faults) in malformed {
        let app = app(name);
        assert_eq!((&*app.json, app.group, &app.faults), (json, AppGroup::Malformed, &faults), "{name}");
        let texts = [&app.launch_path, &app.runtime_exe, &app.process_name];
        assert_eq!((texts, app.mode, app.allowed_agents.len()), ([&None; 3], None, 0), "{name}");
    }
}

#[test]
fn new_app_is_appended_and_formatted() {
    let fixture = with("{}\n");
    let full = AppEntry {
        runtime_exe: Some("C:\\Z\\Z.exe".to_owned()),
        process_name: Some("Z.exe".to_owned()),
        ..AppEntry::new("C:\\Z.lnk", AppMode::Allowlist, ["system_engineer"])
    };
    fixture.save(&RegistryChange::Add { name: " Last Z ".to_owned(), entry: full }).unwrap();
    fixture
        .save(&RegistryChange::Add { name: "微信".to_owned(), entry: entry("/opt/微信", AppMode::Off) })
        .unwrap();
    assert_eq!(
        fixture.text(),
        r#"{
  "Last Z": {
    "launch_path": "C:\\Z.lnk",
    "runtime_exe": "C:\\Z\\Z.exe",
    "process_name": "Z.exe",
    "mode": "allowlist",
    "allowed_agents": ["system_engineer"]
  },
  "微信": {
    "launch_path": "/opt/微信",
    "mode": "off",
    "allowed_agents": []
  }
}
"#
    );
}

#[test]
fn file_on_one_line_is_reformatted_with_values_unchanged() {
    let fixture = with(r#"{"A":{"launch_path":"\u0041","n":2.50,"l":[1,"x"],"d":[{}, []],"e":{}},"b":null}"#);
    fixture.save(&add("C")).unwrap();
    assert_eq!(
        fixture.text(),
        r#"{
  "A": {
    "launch_path": "\u0041",
    "n": 2.50,
    "l": [1, "x"],
    "d": [
      {},
      []
    ],
    "e": {}
  },
  "b": null,
  "C": {
    "launch_path": "/bin/true",
    "mode": "full",
    "allowed_agents": []
  }
}
"#
    );
}

#[test]
fn equivalent_and_invalid_names_are_refused() {
    let fixture = with(UNTIDY);
    for (name, there) in
        [("last z", "Last Z"), ("LAST  Z", "Last Z"), (" ｌａｓｔ z\u{3000}", "Last Z"), ("微信", "微信")]
    {
        match fixture.save(&add(name)).unwrap_err() {
            RegistryError::NameTaken { taken_by, .. } => assert_eq!(taken_by, there),
            other => panic!("{other}"),
        }
    }
    let long = "x".repeat(201);
    let table = [
        ("", AppNameError::Empty),
        (" \u{3000}", AppNameError::Empty),
        ("a\nb", AppNameError::Control('\n')),
        ("a\u{1b}[31m", AppNameError::Control('\u{1b}')),
        (&long, AppNameError::TooLong { most: 200 }),
    ];
    for (name, expected) in table {
        match fixture.save(&add(name)).unwrap_err() {
            RegistryError::Name(error) => assert_eq!(error, expected),
            other => panic!("{other}"),
        }
    }
    assert_eq!(fixture.text(), UNTIDY);
}

#[test]
fn edit_changes_only_its_fields() {
    let z = |from: &str, to: &str| UNTIDY.replacen(from, to, 1);
    let table = [
        (AppPatch::default(), UNTIDY.to_owned()),
        (
            AppPatch { launch_path: Some("/z".to_owned()), ..AppPatch::default() },
            z(r#""C:\\Z.lnk""#, r#""/z""#),
        ),
        (
            AppPatch { process_name: Some(FieldChange::Clear), ..AppPatch::default() },
            z("      \"process_name\": \"Z.exe\",\n", ""),
        ),
        (
            AppPatch { process_name: Some(FieldChange::Set(" ".to_owned())), ..AppPatch::default() },
            z("      \"process_name\": \"Z.exe\",\n", ""),
        ),
        (AppPatch { runtime_exe: Some(FieldChange::Clear), ..AppPatch::default() }, UNTIDY.to_owned()),
        (
            AppPatch { runtime_exe: Some(FieldChange::Set("/z".to_owned())), ..AppPatch::default() },
            z(
                "\"tail\": {\"b\": 1, \"a\": [ ]}",
                "\"tail\": {\"b\": 1, \"a\": [ ]},\n      \"runtime_exe\": \"/z\"",
            ),
        ),
        (
            AppPatch::policy(AppMode::Full, NOBODY),
            z(
                "\"allowlist\", \"allowed_agents\": [\n         \"system_engineer\"\n      ]",
                "\"full\", \"allowed_agents\": []",
            ),
        ),
    ];
    for (patch, expected) in table {
        let fixture = with(UNTIDY);
        let saved = fixture.save(&edit("Last Z", patch.clone())).unwrap();
        assert_eq!(fixture.text(), expected, "{patch:?}");
        assert_eq!(saved.changed, expected != UNTIDY);
    }
}

#[test]
fn entry_that_is_no_object_is_only_replaced_completely() {
    let fixture = with(UNTIDY);
    let error = fixture.save(&policy("broken", AppMode::Off)).unwrap_err();
    assert!(matches!(error, RegistryError::NotAnObject { found: "a list", .. }), "{error}");
    assert_eq!(fixture.text(), UNTIDY);

    fixture.save(&edit("broken", entry("/b", AppMode::Off).into())).unwrap();
    let loaded = fixture.registry.load().unwrap();
    assert_eq!(loaded.app("broken").unwrap().entry(), entry("/b", AppMode::Off).checked().ok());
}

#[test]
fn delete_removes_one_app_and_fails_for_an_unknown_one() {
    let fixture = with(UNTIDY);
    for name in ["Last z", "nobody", ""] {
        let error = fixture.save(&delete(name)).unwrap_err();
        assert!(matches!(error, RegistryError::NotRegistered { .. }), "{error}");
    }
    let saved = fixture.save(&delete("broken")).unwrap();
    assert_eq!(fixture.text(), UNTIDY.replacen("   \"broken\": [1.0, {}],\n", "", 1));
    let Proposal { before, after } = saved.proposal;
    assert_eq!((&*before.unwrap().json, after), ("[1.0, {}]", None));
}

fn restore(name: &str, written: &str, before: Option<&str>) -> RegistryChange {
    let (name, before) = (name.to_owned(), before.map(str::to_owned));
    RegistryChange::Restore { name, entry: written.parse().unwrap(), before }
}

#[test]
fn deleted_app_is_restored_byte_for_byte_in_position() {
    let fixture = with(UNTIDY);
    for app in fixture.registry.load().unwrap().apps {
        let loaded = fixture.registry.load().unwrap();
        let before = loaded.name_after(&app.name).map(str::to_owned);
        fixture.save(&delete(&app.name)).unwrap();
        let change = restore(&app.name, &app.json, before.as_deref());
        let saved = fixture.save(&change).unwrap();
        assert_eq!((saved.proposal.before, saved.proposal.after), (None, Some(app)));
        // Only the spelling of a key is ours.
        assert_eq!(fixture.text().replace("微信", r"\u5fae信"), UNTIDY);
    }
}

#[test]
fn restored_app_goes_last_without_its_neighbour() {
    let fixture = with("{}\n");
    fixture.save(&restore("A", r#"{"launch_path": "/a", "x": 1.0}"#, Some("gone"))).unwrap();
    fixture.save(&restore("B", "null", Some("gone"))).unwrap();
    assert_eq!(fixture.text(), "{\n  \"A\": {\"launch_path\": \"/a\", \"x\": 1.0},\n  \"B\": null\n}\n");
    let text = fixture.text();
    for name in ["A", " a "] {
        let taken = fixture.save(&restore(name, "{}", None)).unwrap_err();
        assert_eq!(taken.to_string(), r#"an app named "A" is already registered"#);
    }
    assert_eq!(fixture.text(), text);
    for bad in ["", "{", "{} {}", r#"{}, "B": {}"#, "// c\n1"] {
        assert!(bad.parse::<RawEntry>().is_err(), "{bad}");
    }
}

#[test]
fn proposal_shows_the_change_and_saves_nothing() {
    let fixture = with(UNTIDY);
    let loaded = fixture.registry.load().unwrap();
    let change = policy("Last Z", AppMode::Off);
    let proposal = loaded.propose(&change).unwrap();
    assert_eq!(fixture.text(), UNTIDY);
    assert_eq!(proposal.before.as_ref(), loaded.app("Last Z"));
    assert_eq!(proposal.after.as_ref().unwrap().mode, Some(AppMode::Off));

    let saved = fixture.registry.save(&change, loaded.version()).unwrap();
    assert_eq!(saved.proposal, proposal);
    assert_eq!(fixture.registry.load().unwrap().app("Last Z"), proposal.after.as_ref());
}

#[test]
fn stale_save_fails_with_the_current_registry() {
    let fixture = with(UNTIDY);
    let seen = fixture.registry.load().unwrap();
    fixture.save(&policy("Last Z", AppMode::Off)).unwrap();
    let text = fixture.text();
    let change = policy("Last Z", AppMode::Full);
    for stale in
        [seen.version(), BaseVersion::NoFile, BaseVersion::Hash(""), BaseVersion::Hash("hmac-sha256:v1:x")]
    {
        let error = fixture.registry.save(&change, stale).unwrap_err();
        let RegistryError::Stale { current, .. } = &error else { panic!("{error}") };
        assert_eq!(**current, fixture.registry.load().unwrap());
        let problem = Problem::from(error);
        assert_eq!(problem.code, ErrorCode::Stale);
        assert!(problem.notes.iter().any(|note| note.contains("\"mode\": \"off\"")), "{problem:?}");
        assert_eq!(fixture.text(), text);
    }
    let fresh = fixture.registry.load().unwrap();
    let saved = fixture.registry.save(&change, fresh.version()).unwrap();
    assert_eq!(fixture.registry.load().unwrap().hash, Some(saved.hash));

    fs::remove_file(fixture.registry.path()).unwrap();
    let gone = fixture.registry.save(&change, fresh.version()).unwrap_err();
    assert!(matches!(&gone, RegistryError::Stale { current, .. } if !current.exists()), "{gone}");
}

/// A value as it may be written, spelled in many ways.
fn written_value() -> impl Strategy<Value = String> {
    let plain = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,4})?([eE][+-]?[0-9])?",
        "\"([a-z 微]|\\\\u00e9|\\\\n){0,6}\"",
    ];
    plain.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4)
                .prop_map(|items| format!("[{}]", items.join(" , "))),
            proptest::collection::vec(inner, 0..4).prop_map(object),
        ]
    })
}

fn object(values: Vec<String>) -> String {
    let members: Vec<String> =
        values.iter().enumerate().map(|(at, value)| format!("\"k{at}\" :{value}")).collect();
    format!("{{{}}}", members.join(","))
}

/// An entry with known fields between unknown ones.
fn written_entry() -> impl Strategy<Value = String> {
    let field = prop_oneof![
        4 => (0..6_usize, written_value()).prop_map(|(at, value)| (format!("x{at}"), value)),
        1 => Just(("launch_path".to_owned(), "\"/bin/a\"".to_owned())),
        1 => Just(("runtime_exe".to_owned(), "\"\"".to_owned())),
        1 => Just(("mode".to_owned(), "\"allowlist\"".to_owned())),
        1 => Just(("allowed_agents".to_owned(), "[\"a\",\n\"b\"]".to_owned())),
    ];
    let fields = proptest::collection::vec(field, 0..7).prop_map(|fields| {
        let mut known: Vec<(String, String)> = Vec::new();
        for (name, value) in fields {
            if known.iter().all(|(other, _)| *other != name) {
                known.push((name, value));
            }
        }
        let members: Vec<String> = known.iter().map(|(name, value)| format!("\"{name}\": {value}")).collect();
        format!("{{ {} }}", members.join(", "))
    });
    prop_oneof![3 => fields, 1 => written_value()]
}

fn changes() -> impl Strategy<Value = RegistryChange> {
    let policy = prop_oneof![
        Just(AppPatch::default()),
        Just(AppPatch::policy(AppMode::Full, NOBODY)),
        Just(AppPatch::policy(AppMode::Off, NOBODY)),
        Just(AppPatch::policy(AppMode::Allowlist, ["c", "d"])),
    ];
    let change = || {
        prop_oneof![
            Just(None),
            Just(Some(FieldChange::Clear)),
            Just(Some(FieldChange::Set("/p \"q\" é".to_owned()))),
        ]
    };
    let path = proptest::option::of(Just("/new".to_owned()));
    let patch =
        (path, change(), change(), policy).prop_map(|(launch_path, runtime_exe, process_name, policy)| {
            AppPatch { launch_path, runtime_exe, process_name, ..policy }
        });
    prop_oneof![Just(add("new app")), patch.prop_map(|patch| edit("app 0", patch)), Just(delete("app 0")),]
}

const KNOWN: [&str; 5] = ["launch_path", "runtime_exe", "process_name", "mode", "allowed_agents"];

/// Names and texts of the unknown fields of an entry, in order. The texts are as written, white space aside.
fn unknown(app: &App) -> Vec<(String, String)> {
    let Ok(Value::Object(fields)) = serde_json::from_str(&app.json) else { return Vec::new() };
    let document = tarsus_home::config::json5::Document::parse(
        app.json.as_bytes(),
        tarsus_home::config::json5::JsonDialect::Json,
    )
    .unwrap();
    let names = fields.keys().filter(|name| !KNOWN.contains(&name.as_str()));
    names
        .map(|name| {
            let span = document.root().member(name).unwrap().span;
            (name.clone(), squeezed(&app.json[span.start..span.end]))
        })
        .collect()
}

/// A text without the white space that JSON does not count.
fn squeezed(json: &str) -> String {
    let (mut out, mut inside, mut escaped) = (String::new(), false, false);
    for char in json.chars() {
        if inside || !char.is_whitespace() {
            out.push(char);
        }
        inside ^= char == '"' && !escaped;
        escaped = char == '\\' && !escaped;
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn change_keeps_everything_else_as_written(
        entries in proptest::collection::vec(written_entry(), 1..5),
        on_lines in any::<bool>(),
        change in changes(),
    ) {
        let gap = if on_lines { "\n\t" } else { "" };
        let members: Vec<String> =
            entries.iter().enumerate().map(|(at, entry)| format!("{gap}\"app {at}\":  {entry}")).collect();
        let fixture = with(format!("{{{}}}", members.join(",")));
        let before = fixture.registry.load().unwrap();
        let text = fixture.text();

        let Ok(saved) = fixture.save(&change) else {
            prop_assert_eq!(fixture.text(), text);
            return Ok(());
        };
        let after = fixture.registry.load().unwrap();
        prop_assert_eq!(after.hash.as_ref(), Some(&saved.hash));
        prop_assert_eq!(saved.changed, fixture.text() != text);
        prop_assert!(!saved.changed || fixture.text().ends_with('\n'));

        let mut names: Vec<&str> = before.names().collect();
        match &change {
            RegistryChange::Add { name, .. } => names.push(name),
            RegistryChange::Delete { .. } => drop(names.remove(0)),
            RegistryChange::Edit { .. } | RegistryChange::Create | RegistryChange::Restore { .. } => {}
        }
        prop_assert_eq!(after.names().collect::<Vec<_>>(), names);
        for app in before.apps.iter().filter(|app| Some(app.name.as_str()) != change.name()) {
            let now = after.app(&app.name).unwrap();
            prop_assert_eq!(squeezed(&now.json), squeezed(&app.json));
            if on_lines {
                prop_assert_eq!(&now.json, &app.json);
            }
        }
        if let (Some(before), Some(after)) = (&saved.proposal.before, &saved.proposal.after)
            && before.json.starts_with('{')
        {
            prop_assert_eq!(unknown(before), unknown(after));
        }
    }
}

//! Our own settings file.

use std::fs;

use tarsus_home::settings::{self, Enforcement, LogLevel, Logs, Settings, SkillRecords};
use tarsus_home::{Home, HomeOptions, files};
use tarsus_protocol::{ErrorCode, Problem};
use tempfile::TempDir;

fn home() -> (TempDir, Home) {
    let dir = tempfile::tempdir().unwrap();
    let choice = HomeOptions { state_flag: Some(dir.path().join("state")), ..HomeOptions::default() };
    let home = Home::locate(&choice).unwrap();
    (dir, home)
}

fn with(text: &[u8]) -> (TempDir, Home) {
    let (dir, home) = home();
    files::make_private_dir(&home.own_dir()).unwrap();
    fs::write(home.settings_path(), text).unwrap();
    (dir, home)
}

#[test]
fn a_new_settings_file_has_the_defaults() {
    let (_dir, home) = home();
    assert_eq!(settings::load(&home).unwrap(), Settings::default());
    assert!(settings::ensure(&home).unwrap());
    assert_eq!(settings::load(&home).unwrap(), Settings::default());
    // The commented-out values are the defaults.
    let text = fs::read_to_string(home.settings_path()).unwrap();
    let uncommented: String =
        text.lines().map(|line| format!("{}\n", line.replacen("  // ", "  ", 1))).collect();
    fs::write(home.settings_path(), uncommented.replace("//   \"", "// \"")).unwrap();
    assert_eq!(settings::load(&home).unwrap(), Settings::default());
    fs::write(home.settings_path(), b"{}").unwrap();
    assert!(!settings::ensure(&home).unwrap());
    assert_eq!(fs::read(home.settings_path()).unwrap(), b"{}");
}

#[test]
fn settings_are_loaded_and_unknown_keys_listed() {
    let (_dir, home) = with(
        br#"{
  skills: { pinned: ['a', 'b'], load: { lenient: true }, security: { enforcement: 'off', grants: {}, oaths: {} } }, // ours
  logs: { level: "trace", maxBytes: 65536, keep: 0, colour: true, },
  trust: [],
}"#,
    );
    let expected = Settings {
        enforcement: Enforcement::Off,
        pinned_skills: ["a", "b"].map(str::to_owned).to_vec(),
        lenient_skills: true,
        skills: SkillRecords::default(),
        logs: Logs { level: LogLevel::Trace, max_bytes: 65_536, keep: 0 },
        unknown: ["skills.security.oaths", "logs.colour", "trust"].map(str::to_owned).to_vec(),
    };
    assert_eq!(settings::load(&home).unwrap(), expected);
}

#[test]
fn an_invalid_setting_is_an_error_with_position() {
    let table: [(&str, ErrorCode, u32, u32); 17] = [
        ("{\n  skills: { security: { enforcement: \"of\" } },\n}", ErrorCode::Malformed, 2, 38),
        ("{skills: {security: {enforcement: false}}}", ErrorCode::Malformed, 1, 35),
        ("{skills: []}", ErrorCode::Malformed, 1, 10),
        ("{skills: {security: {grants: []}}}", ErrorCode::Malformed, 1, 30),
        ("{skills: {security: {grants: {a: {hash: 'x', capabilities: []}}}}}", ErrorCode::Malformed, 1, 34),
        ("{skills: {security: {trust: {a: 'local'}}}}", ErrorCode::Malformed, 1, 33),
        ("{skills: {security: {seen: {a: {capabilities: ['root']}}}}}", ErrorCode::Malformed, 1, 32),
        ("{skills: {security: {accepted: {a: {rule: 'r'}}}}}", ErrorCode::Malformed, 1, 36),
        ("{skills: {pinned: 'a'}}", ErrorCode::Malformed, 1, 19),
        ("{skills: {pinned: ['a', 1]}}", ErrorCode::Malformed, 1, 19),
        ("{skills: {load: {lenient: 'no'}}}", ErrorCode::Malformed, 1, 27),
        ("{logs: {level: \"loud\"}}", ErrorCode::Malformed, 1, 16),
        ("{logs: {maxBytes: 1}}", ErrorCode::Malformed, 1, 19),
        ("{logs: {keep: -1}}", ErrorCode::Malformed, 1, 15),
        ("{logs: {keep: 1.5}}", ErrorCode::Malformed, 1, 15),
        ("{logs: {keep 1}}", ErrorCode::Malformed, 1, 14),
        ("[]", ErrorCode::Malformed, 1, 1),
    ];
    for (text, code, line, column) in table {
        let (_dir, home) = with(text.as_bytes());
        let problem = Problem::from(settings::load(&home).unwrap_err());
        let place = problem.location.unwrap();
        assert_eq!((problem.code, place.line, place.column), (code, Some(line), Some(column)), "{text}");
        assert_eq!(place.path, home.settings_path());
        assert!(place.excerpt.is_some(), "{text}");
    }
}

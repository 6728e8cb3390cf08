//! The reference of commands lists every command of the program, with its options.

use std::collections::{BTreeMap, BTreeSet};

use tarsus_tests::TestHome;

use crate::workspace::{file, table};

const GLOBAL_OPTIONS: [&str; 7] =
    ["--json", "--agent", "--state-dir", "--config", "--no-color", "--verbose", "--help"];

/// Runnable commands, each with its own options.
type Commands = BTreeMap<String, BTreeSet<String>>;

/// The lines of a section of a help text.
fn section<'h>(help: &'h str, title: &str) -> impl Iterator<Item = &'h str> {
    let (_, rest) = help.split_once(&format!("\n{title}:\n")).unwrap_or_default();
    rest.lines().take_while(|line| line.is_empty() || line.starts_with(' '))
}

/// Adds the commands below `path`, from the help texts of the program.
fn collect(home: &TestHome, path: &[&str], commands: &mut Commands) {
    let output = home.tarsus(path.iter().copied().chain(["--help"])).output().unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    let names = section(&help, "Commands")
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help");
    let names: Vec<&str> = names.collect();
    let runs_alone = names.is_empty() || help.contains("[COMMAND]\n");
    if runs_alone && !path.is_empty() {
        let options = section(&help, "Options")
            .filter(|line| line.trim_start().starts_with('-'))
            .filter_map(|line| line.split_whitespace().find(|word| word.starts_with("--")))
            .map(|option| option.trim_end_matches(['.', ',']).to_owned())
            .filter(|option| !GLOBAL_OPTIONS.contains(&option.as_str()));
        commands.insert(format!("tarsus {}", path.join(" ")), options.collect());
    }
    for name in names {
        collect(home, &[path, &[name]].concat(), commands);
    }
}

/// Every command that runs, by the help of the program.
#[cfg(target_os = "linux")]
pub fn all(home: &TestHome) -> BTreeSet<String> {
    let mut commands = Commands::new();
    collect(home, &[], &mut commands);
    commands.into_keys().collect()
}

#[test]
fn reference_lists_every_command_with_its_options() {
    let mut commands = Commands::new();
    collect(&TestHome::new(), &[], &mut commands);
    assert!(
        commands.contains_key("tarsus apps") && commands.contains_key("tarsus config set"),
        "{commands:?}"
    );
    let rows = table(&file("docs/reference/commands.md"), "Commands").into_iter().map(|row| {
        let options = row[2].split_whitespace().map(|option| option.trim_matches('`').to_owned());
        (row[0].clone(), options.collect())
    });
    assert_eq!(rows.collect::<Commands>(), commands);
}

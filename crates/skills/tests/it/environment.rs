//! The variables that skills set for a turn.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use tarsus_home::config::view::AgentId;
use tarsus_home::{Home, HomeOptions};
use tarsus_host::Clock;
use tarsus_skills::Library;
use tarsus_skills::environment::SkillEnvironment;

use crate::library_input::{inputs, machine};

/// Writes skills that declare these variables: the first as the primary one, the others as required.
fn write_skill(state: &Path, name: &str, variables: &[&str]) {
    let folder = state.join("skills").join(name);
    fs::create_dir_all(&folder).unwrap();
    let primary = variables.first().unwrap_or(&"");
    let fields = format!("'primaryEnv': '{primary}', 'requires': {{'env': {variables:?}}}");
    let text = format!("---\nname: {name}\ndescription: d\nmetadata: {{'openclaw': {{{fields}}}}}\n---\n");
    fs::write(folder.join("SKILL.md"), text).unwrap();
}

/// The environment with these settings; the variable `SET` is in the environment of the machine.
fn environment(state: &Path, entries: &str) -> SkillEnvironment {
    let choice = HomeOptions { state_flag: Some(state.to_path_buf()), ..HomeOptions::default() };
    let home = Home::locate(&choice).unwrap();
    let mut inputs = inputs(home, &format!("{{skills: {{entries: {entries}}}}}"));
    inputs.machine = Arc::new(machine(None, Some("SET")));
    let library = Library::open(inputs, None, Clock::fixed(1_000).0);
    library.snapshot(&AgentId::main()).unwrap().environment()
}

fn value<'e>(environment: &'e SkillEnvironment, name: &str) -> Option<&'e str> {
    environment.get(name).map(|secret| secret.expose())
}

#[test]
fn settings_of_ready_skills_set_their_variables() {
    let folder = tempfile::tempdir().unwrap();
    write_skill(folder.path(), "plain", &[]);
    write_skill(folder.path(), "search", &["SEARCH_KEY"]);
    write_skill(folder.path(), "other", &["OTHER_TOKEN", "MISSING"]);
    type Case = (&'static str, &'static [(&'static str, Option<&'static str>)]);
    let table: &[Case] = &[
        ("{}", &[("SEARCH_KEY", None)]),
        ("{search: {apiKey: 'k'}}", &[("SEARCH_KEY", Some("k"))]),
        (
            "{search: {apiKey: 'k', env: {SEARCH_KEY: 'e', REGION: 'north'}}}",
            &[("SEARCH_KEY", Some("e")), ("REGION", Some("north"))],
        ),
        // What the environment has is not set, and neither is white space.
        ("{search: {apiKey: 'k', env: {SET: 'x', BLANK: ' '}}}", &[("SET", None), ("BLANK", None)]),
        // Refused by name, in any case; a credential of another skill, too.
        (
            "{search: {apiKey: 'k', env: {LD_PRELOAD: 'x', path: 'x', BASH_ENV: 'x', GIT_SSH_COMMAND: 'x', GH_TOKEN: 'x', FINE: 'y'}}}",
            &[
                ("LD_PRELOAD", None),
                ("path", None),
                ("BASH_ENV", None),
                ("GIT_SSH_COMMAND", None),
                ("GH_TOKEN", None),
                ("FINE", Some("y")),
            ],
        ),
        // Skills that are disabled or miss something set nothing.
        ("{search: {enabled: false, apiKey: 'k'}}", &[("SEARCH_KEY", None)]),
        ("{other: {apiKey: 'k'}}", &[("OTHER_TOKEN", None)]),
        (
            "{search: {apiKey: {source: 'env', provider: 'default', id: 'GONE'}, env: {A: 'a'}}}",
            &[("SEARCH_KEY", None), ("A", None)],
        ),
        ("{plain: {apiKey: 'k', env: {A: 'a'}}}", &[("A", Some("a")), ("", None)]),
        ("{nobody: {env: {A: 'a'}}}", &[("A", None)]),
    ];
    for (entries, expected) in table {
        let environment = environment(folder.path(), entries);
        for (name, expected) in *expected {
            assert_eq!(value(&environment, name), *expected, "{entries} {name}");
        }
    }
}

#[test]
fn restricted_environment_has_the_variables_of_its_skills_only() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a", "b", "c"] {
        write_skill(folder.path(), name, &[]);
    }
    let entries = "{a: {env: {X: 'of a', A: 'a'}}, b: {env: {X: 'of b'}}, c: {env: {C: 'c'}}}";
    let mut environment = environment(folder.path(), entries);
    let all = |environment: &SkillEnvironment| {
        ["X", "A", "C"].map(|name| value(environment, name).unwrap_or("-").to_owned())
    };
    assert_eq!(all(&environment), ["of a", "a", "c"], "the first skill counts");
    environment.restrict_to(["b".to_owned()].into());
    assert_eq!(all(&environment), ["of b", "-", "-"]);
    // More skills may become active in the same turn.
    environment.restrict_to(["b".to_owned(), "c".to_owned()].into());
    assert_eq!(all(&environment), ["of b", "-", "c"]);
    environment.restrict_to(Default::default());
    assert_eq!(all(&environment), ["-", "-", "-"]);
    let shown = format!("{environment:?}");
    assert!(shown.contains("\"X\"") && !shown.contains("of a"), "{shown}");
}

//! The variables that skills' settings add to the programs of a run.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests set the scene by hand")]

mod scene;

use scene::{Scene, list, needing, secret};
use tarsus_home::config::view::SkillEntry;
use tarsus_host::process::Env;
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_skills::environment::{Equipped, Group, Refusal, Remark, RunEnvironment, Unusual, What};
use tarsus_skills::{Metadata, Requires};

fn settings(text: &str) -> SkillEntry {
    Scene::new(&format!("{{skills: {{entries: {{s: {text}}}}}}}")).view.skills.entries["s"].clone()
}

fn declaring(primary_env: &str, env: &[&str]) -> Metadata {
    let requires = Requires { env: list(env), ..Requires::default() };
    Metadata { primary_env: Some(primary_env.to_owned()), ..needing(requires) }
}

fn variables(environment: &RunEnvironment) -> Vec<(String, String)> {
    let mut env = Env::empty();
    environment.add_to(&mut env);
    let text = |text: &std::ffi::OsStr| text.to_str().unwrap().to_owned();
    env.iter().map(|(name, value)| (text(name), text(value))).collect()
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
}

#[test]
fn what_may_be_set_is_set_and_everything_else_has_its_reason() {
    let metadata = declaring("GH_TOKEN", &["MY_TOKEN"]);
    let settings = settings(
        "{apiKey: 'key', env: {
            BAR: '1', MY_TOKEN: 'mine', FOO_API_KEY: 'x', LD_PRELOAD: '/x', NODE_OPTIONS: 'x', http_proxy: 'x',
            'A=B': 'x', NUL: 'a\\0b', HERE: 'new', GONE: {source: 'env', id: 'GONE'}, BLOB: '__BLOB__' }}"
            .replace("__BLOB__", &"QUJD".repeat(20))
            .as_str(),
    );
    let here = |name: &str| (name == "HERE").then(|| "old".to_owned());
    let skill = Equipped { name: "s", metadata: Some(&metadata), settings: &settings };
    let environment = RunEnvironment::of([skill], &here, &secret);
    let blob = "QUJD".repeat(20);
    let expected = pairs(&[("BAR", "1"), ("BLOB", &blob), ("GH_TOKEN", "key"), ("MY_TOKEN", "mine")]);
    assert_eq!(variables(&environment), expected);
    assert_eq!(environment.names().collect::<Vec<_>>(), ["BAR", "BLOB", "GH_TOKEN", "MY_TOKEN"]);

    let remark = |variable: &str, what| Remark { skill: "s".into(), variable: variable.into(), what };
    let refused = |variable: &str, refusal| remark(variable, What::Refused(refusal));
    let gone = Problem::new(ErrorCode::NotFound, "the secret \"GONE\" is not there");
    let mut remarks = environment.remarks;
    remarks.sort_by(|a, b| a.variable.cmp(&b.variable));
    assert_eq!(
        remarks,
        [
            refused("A=B", Refusal::NotAName),
            remark("BLOB", What::Unusual(Unusual::Base64)),
            refused("FOO_API_KEY", Refusal::Undeclared),
            remark("GONE", What::Unresolved(gone)),
            remark("HERE", What::SetOutside),
            refused("LD_PRELOAD", Refusal::Reserved(Group::Loader)),
            refused("NODE_OPTIONS", Refusal::Reserved(Group::Runtime)),
            refused("NUL", Refusal::Nul),
            refused("http_proxy", Refusal::Reserved(Group::Network)),
        ]
    );
    let text = remarks[5].to_string();
    assert_eq!(text, "LD_PRELOAD is not set for s: it decides what is loaded into every program");
}

#[test]
fn the_variable_itself_counts_before_the_key_and_a_key_needs_its_variable() {
    let metadata = declaring("A_KEY", &[]);
    let both = settings("{apiKey: 'key', env: {A_KEY: 'own'}}");
    let of = |metadata: Option<&Metadata>, settings: &SkillEntry| {
        let skill = Equipped { name: "s", metadata, settings };
        variables(&RunEnvironment::of([skill], &|_| None, &secret))
    };
    assert_eq!(of(Some(&metadata), &both), pairs(&[("A_KEY", "own")]));
    assert_eq!(of(None, &settings("{apiKey: 'key'}")), []);
    assert_eq!(of(Some(&metadata), &settings("{enabled: false, apiKey: 'key'}")), []);
}

#[test]
fn of_two_skills_the_first_one_sets_a_variable() {
    let (one, two) = (settings("{env: {X: '1', ONE: '1'}}"), settings("{env: {X: '2', TWO: '2', x: '3'}}"));
    let skills = [("one", &one), ("two", &two)];
    let skills = skills.map(|(name, settings)| Equipped { name, metadata: None, settings });
    let environment = RunEnvironment::of(skills, &|_| None, &secret);
    let clash = |variable: &str| Remark {
        skill: "two".into(),
        variable: variable.into(),
        what: What::SetBy("one".into()),
    };
    if cfg!(windows) {
        assert_eq!(variables(&environment), pairs(&[("ONE", "1"), ("TWO", "2"), ("X", "1")]));
        assert_eq!(environment.remarks, [clash("X"), clash("x")]);
    } else {
        assert_eq!(variables(&environment), pairs(&[("ONE", "1"), ("TWO", "2"), ("X", "1"), ("x", "3")]));
        assert_eq!(environment.remarks, [clash("X")]);
    }
}

#[test]
fn no_value_is_printed() {
    let settings = settings("{env: {X: 's3cret'}}");
    let skill = Equipped { name: "s", metadata: None, settings: &settings };
    let environment = RunEnvironment::of([skill], &|_| None, &secret);
    assert!(!format!("{environment:?}").contains("s3cret"));
}

/// Each of many runs at once sees its own variables and no other's, in a real program.
#[cfg(unix)]
#[test]
fn runs_at_the_same_time_do_not_meet() {
    let shown = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..8)
            .map(|number| {
                scope.spawn(move || {
                    let settings =
                        settings(&format!("{{env: {{SHARED: 'run {number}', ONLY_{number}: 'x'}}}}"));
                    let skill = Equipped { name: "s", metadata: None, settings: &settings };
                    let mut env = Env::empty();
                    RunEnvironment::of([skill], &|_| None, &secret).add_to(&mut env);
                    let mut program = std::process::Command::new("/bin/sh");
                    program.args(["-c", "echo \"$SHARED\"; export -p | grep -c ONLY_"]).env_clear();
                    let output = program.envs(env.iter()).env("PATH", "/usr/bin:/bin").output().unwrap();
                    String::from_utf8(output.stdout).unwrap()
                })
            })
            .collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect::<Vec<_>>()
    });
    let expected: Vec<String> = (0..8).map(|number| format!("run {number}\n1\n")).collect();
    assert_eq!(shown, expected);
    assert_eq!(std::env::var_os("SHARED"), None);
}

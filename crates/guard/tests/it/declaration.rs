//! Declarations of capabilities in every shape, and unreadable ones.

use std::path::{Path, PathBuf};

use proptest::option;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Value, json};
use tarsus_guard::{CallFacts, DeclaredCapabilities, PathBases, Program, ToolId, ToolTier};
use tarsus_protocol::capability::Capability::{self, Filesystem, Network, Sessions, Shell};

fn read(value: &Value) -> DeclaredCapabilities {
    DeclaredCapabilities::parse(Some(value))
}

/// An absolute path on every system.
fn absolute(path: &str) -> PathBuf {
    if cfg!(windows) { Path::new("C:\\").join(path) } else { Path::new("/").join(path) }
}

fn violation(value: &Value, tool: ToolId, facts: &CallFacts) -> Option<String> {
    let workspace = absolute("w");
    read(value).limits.violation(tool, facts, PathBases { workspace: &workspace, home: None })
}

#[test]
fn all_three_shapes_are_parsed() {
    let table = [
        (json!(["shell", "network", "sessions"]), vec![Shell, Network, Sessions]),
        (json!({"shell": {}, "network": null, "filesystem": true}), vec![Shell, Filesystem, Network]),
        (json!({"shell": false, "network": {}}), vec![Network]),
        (
            json!([{"type": "network.search"}, {"name": "shell.exec", "constraints": null}]),
            vec![Shell, Network],
        ),
        (json!(["bash", {"type": "fs.write.all"}, "Web-Fetch"]), vec![Shell, Filesystem, Network]),
        (json!([{"type": "shell", "name": "network"}]), vec![Shell]),
        (json!([]), vec![]),
        (json!({}), vec![]),
        (Value::Null, vec![]),
    ];
    for (value, capabilities) in table {
        let declared = read(&value);
        assert_eq!(declared.capabilities.iter().copied().collect::<Vec<_>>(), capabilities, "{value}");
        assert_eq!((declared.unknown, declared.problems), (vec![], vec![]), "{value}");
    }
    assert_eq!(DeclaredCapabilities::parse(None), DeclaredCapabilities::default());
}

#[test]
fn unknown_capabilities_are_kept_and_grant_nothing() {
    let declared = read(&json!(["root", "can-sign-transactions", "shell2", "", "teleport.now"]));
    assert_eq!(declared.unknown, ["root", "can-sign-transactions", "shell2", "", "teleport.now"]);
    assert!(declared.capabilities.is_empty());
    let declared = read(&json!({"a\u{1b}[31mb\u{202e}\u{e0041}\u{200b}": {"mode": "x"}}));
    assert_eq!(declared.unknown, ["ab"]);
}

#[test]
fn unreadable_declarations_grant_nothing() {
    let table = [
        (json!("shell"), "`capabilities` is a string, not a list or an object: it grants nothing"),
        (json!(7), "`capabilities` is a number, not a list or an object: it grants nothing"),
        (json!([7]), "an entry is a number, not a name: it grants nothing"),
        (json!([["shell"]]), "an entry is a list, not a name: it grants nothing"),
        (json!([{"kind": "shell"}]), "an entry has neither `type` nor `name`: it grants nothing"),
        (json!([{"type": 1}]), "an entry has neither `type` nor `name`: it grants nothing"),
        (
            json!({"shell": "restricted"}),
            "the constraints of shell are a string, not an object: it grants nothing",
        ),
        (json!({"shell": ["git"]}), "the constraints of shell are a list, not an object: it grants nothing"),
        (
            json!([{"type": "shell", "constraints": "git"}]),
            "the constraints of shell are a string, not an object: it grants nothing",
        ),
    ];
    for (value, problem) in table {
        let declared = read(&value);
        assert!(declared.capabilities.is_empty(), "{value}");
        assert_eq!(declared.problems, [problem], "{value}");
    }
}

#[test]
fn unreadable_constraint_allows_nothing() {
    let table = [
        (json!({"shell": {"mode": "sandboxed"}}), "shell: nothing", 1),
        (json!({"shell": {"mode": 1}}), "shell: nothing", 1),
        (json!({"shell": {"mode": "restricted"}}), "shell: each program needs your approval", 0),
        (json!({"shell": {"allow": "git"}}), "shell: nothing", 1),
        (json!({"shell": {"allow": ["git", 1]}}), "shell: only git", 1),
        (json!({"shell": {"mode": "full", "allow": ["git"]}}), "shell: only git", 0),
        (json!({"network": {"web_fetch": "yes"}}), "network: no web fetch", 1),
        (json!({"network": {"hosts": "example.org"}}), "network: nothing", 1),
        (json!({"network": {"hosts": ["*", "a.org"]}}), "network: only a.org", 1),
        (json!({"network": {"provider": 3}}), "network: search by nothing", 1),
        (json!({"filesystem": {"paths": ["../x"]}}), "filesystem: nothing", 1),
        (json!({"sessions": {"maxDepth": -1}}), "sessions: at most 0 deep", 1),
        (json!({"sessions": {"maxDepth": 1.5}}), "sessions: at most 0 deep", 1),
    ];
    for (value, limit, problems) in table {
        let declared = read(&value);
        assert_eq!(declared.limits.descriptions(|_| true), [limit], "{value}");
        assert_eq!(declared.problems.len(), problems, "{value}: {:?}", declared.problems);
        assert_eq!(declared.capabilities.len(), 1, "{value}");
    }
}

#[test]
fn misplaced_constraints_apply_and_unknown_ones_are_shown() {
    let declared = read(
        &json!([{"name": "shell", "mode": "restricted", "constraints": {"allow": ["git"], "user": "root"}}]),
    );
    assert_eq!(declared.limits.descriptions(|_| true), ["shell: only git"]);
    assert_eq!(declared.advisory, ["shell.user: \"root\""]);
    // A key of another capability limits nothing.
    let declared = read(&json!({"browser": {"hosts": ["a.org"]}, "network": {"max-depth": 3}}));
    assert_eq!(declared.limits.descriptions(|_| true), [""; 0]);
    assert_eq!(declared.advisory, ["browser.hosts: [\"a.org\"]", "network.max-depth: 3"]);
}

#[test]
fn repeated_limits_all_apply() {
    let declared = read(&json!([
        {"type": "shell.git", "constraints": {"allow": ["git", "gh"]}},
        {"type": "exec", "constraints": {"mode": "restricted", "allow": ["gh", "rm"]}},
        "bash",
        {"type": "network", "constraints": {"webSearch": false, "web_fetch": true, "hosts": ["*.example.org"]}},
        {"type": "web", "constraints": {"web-search": true, "hosts": ["api.example.org"]}},
        {"type": "sessions", "constraints": {"maxDepth": 3}},
        {"type": "sessions", "constraints": {"max_depth": 1}},
    ]));
    let limits = [
        "shell: only gh, git, and of these only gh, rm",
        "network: no web search",
        "network: only *.example.org, and of these only api.example.org",
        "sessions: at most 1 deep",
    ];
    assert_eq!(declared.limits.descriptions(|_| true), limits);
    let workspace = absolute("w");
    let places = PathBases { workspace: &workspace, home: None };
    let broken = |tool, facts: CallFacts| declared.limits.violation(tool, &facts, places).is_some();
    let run = |name: &str| {
        let program = Program { written: name.into(), path: absolute("usr/bin").join(name) };
        CallFacts { programs: Some(vec![program]), ..CallFacts::default() }
    };
    let ask = |host: &str| CallFacts { hosts: Some(vec![host.into()]), ..CallFacts::default() };
    assert_eq!(["git", "gh", "rm"].map(|name| broken(ToolId::Exec, run(name))), [true, false, true]);
    let hosts = ["api.example.org", "www.example.org"].map(|host| broken(ToolId::WebFetch, ask(host)));
    assert_eq!(hosts, [false, true]);
    // A restriction and a list that are apart both apply: only these programs, and each is asked about.
    let apart = read(&json!([{"type": "shell", "mode": "restricted"}, {"type": "shell", "allow": ["git"]}]));
    let judged = |name: &str| {
        let (violated, facts) = (apart.limits.violation(ToolId::Exec, &run(name), places), run(name));
        (violated.is_some(), apart.limits.question(ToolId::Exec, &facts).is_some())
    };
    assert_eq!(["git", "gh"].map(judged), [(false, true), (true, true)]);
    let together = read(&json!({"shell": {"mode": "restricted", "allow": ["git"]}}));
    assert_eq!(together.limits.question(ToolId::Exec, &run("git")), None);
}

#[test]
fn unreadable_constraints_close_the_capability() {
    let workspace = absolute("w");
    let places = PathBases { workspace: &workspace, home: None };
    let table = [
        (json!(["shell", {"type": "shell", "constraints": "x"}]), ToolId::Exec),
        (json!([{"type": "bash", "constraints": ["git"]}, "exec"]), ToolId::Process),
        (json!(["browser", {"type": "browser", "constraints": 1}]), ToolId::Browser),
        (json!(["network", {"name": "web", "constraints": true}]), ToolId::WebSearch),
    ];
    for (value, tool) in table {
        let declared = read(&value);
        assert_eq!(declared.problems.len(), 1, "{value}");
        let [limit] = &declared.limits.descriptions(|_| true)[..] else { panic!("{value}") };
        assert!(limit.ends_with(": nothing: its limits cannot be read"), "{limit}");
        let why = declared.limits.violation(tool, &CallFacts::default(), places);
        assert_eq!(why.as_deref(), Some("its limits cannot be read"), "{value}");
        assert_eq!(declared.limits.violation(ToolId::Message, &CallFacts::default(), places), None);
    }
}

#[test]
fn programs_match_by_name_or_full_path() {
    let program = |written: &str, path: &str| Program { written: written.into(), path: absolute(path) };
    let git = program("git", "usr/bin/git");
    let gh = program("gh", "usr/bin/gh");
    let by_name = json!({"shell": {"mode": "restricted", "allow": ["git"]}});
    let by_path = json!({"shell": {"mode": "restricted", "allow": [git.path]}});
    let programs = |list: &[&Program]| CallFacts {
        programs: Some(list.iter().map(|one| (*one).clone()).collect()),
        ..CallFacts::default()
    };
    let relative = Program { path: "bin/git".into(), ..git.clone() };
    let (beside, whole) = (program("./git", "w/git"), program("/tmp/git", "tmp/git"));
    let planted = program("git", "w/bin/git");
    let table = [
        (&by_name, vec![&git], None),
        (&by_name, vec![&git, &gh], Some(&gh)),
        // A program of the same name that was not looked up is another one.
        (&by_name, vec![&beside], Some(&beside)),
        (&by_name, vec![&whole], Some(&whole)),
        // So is one that was looked up in the workspace, where agents write, or nobody knows where.
        (&by_name, vec![&planted], Some(&planted)),
        (&by_name, vec![&relative], Some(&relative)),
        (&by_path, vec![&git], None),
        (&by_path, vec![&planted], Some(&planted)),
    ];
    for (value, run, other) in table {
        let facts = programs(&run);
        let why = other.map(|other| format!("{} is not one of its programs", other.path.display()));
        for tool in [ToolId::Exec, ToolId::Process, ToolId::AppLaunch, ToolId::AppStop, ToolId::AppPropose] {
            assert_eq!(violation(value, tool, &facts), why, "{value} {facts:?}");
        }
        assert_eq!(violation(&json!(["shell"]), ToolId::Exec, &facts), None);
    }
    for unknown in [programs(&[]), CallFacts::default()] {
        let why = violation(&by_name, ToolId::Exec, &unknown);
        assert_eq!(why.as_deref(), Some("which programs it would use is not known"));
    }
}

#[test]
fn hosts_paths_switches_and_depth_are_limited() {
    let hosts = |hosts: &[&str]| CallFacts {
        hosts: Some(hosts.iter().map(|host| (*host).to_owned()).collect()),
        ..CallFacts::default()
    };
    let paths = |paths: &[&str]| CallFacts {
        paths: Some(paths.iter().map(|path| absolute(path)).collect()),
        ..CallFacts::default()
    };
    let provider = |name: &str| CallFacts { provider: Some(name.into()), ..CallFacts::default() };
    let depth = |depth| CallFacts { depth: Some(depth), ..CallFacts::default() };
    let search = |name: &str, host: &str| CallFacts { provider: Some(name.into()), ..hosts(&[host]) };
    let network = json!({"network": {"hosts": ["api.example.org"], "provider": "brave"}});
    let files = json!({"filesystem": {"paths": ["out"]}});
    let table = [
        (&network, ToolId::WebFetch, hosts(&["API.example.org"]), true),
        (&network, ToolId::WebFetch, hosts(&["api.example.org", "evil.test"]), false),
        (&network, ToolId::WebFetch, CallFacts::default(), false),
        (&network, ToolId::WebSearch, search("Brave", "api.example.org"), true),
        (&network, ToolId::WebSearch, search("searxng", "api.example.org"), false),
        // A search contacts the host of its provider.
        (&network, ToolId::WebSearch, search("brave", "api.brave.test"), false),
        (&network, ToolId::WebSearch, provider("brave"), false),
        (&json!({"network": {"provider": "brave"}}), ToolId::WebSearch, provider("Brave"), true),
        (
            &json!({"network": {"hosts": ["*.example.org"]}}),
            ToolId::WebSearch,
            hosts(&["s.example.org"]),
            true,
        ),
        (
            &json!({"network": {"hosts": ["*.example.org"]}}),
            ToolId::WebSearch,
            hosts(&["example.org"]),
            false,
        ),
        (&json!({"network": {"hosts": ["example.org"]}}), ToolId::WebFetch, hosts(&["example.org."]), true),
        (&json!({"network": {"hosts": ["::1"]}}), ToolId::WebFetch, hosts(&["[::1]"]), true),
        (&json!({"network": {"hosts": []}}), ToolId::WebFetch, hosts(&["example.org"]), false),
        (&network, ToolId::WebSearch, CallFacts::default(), false),
        (&json!({"network": {"web_fetch": false}}), ToolId::WebFetch, hosts(&["a.org"]), false),
        (&json!({"network": {"web_fetch": false}}), ToolId::WebSearch, CallFacts::default(), true),
        (&json!({"network": {"web_search": false}}), ToolId::WebSearch, provider("brave"), false),
        (&json!({"network": {"web_search": false}}), ToolId::WebFetch, CallFacts::default(), true),
        (&files, ToolId::Write, paths(&["w/out/a"]), true),
        (&files, ToolId::Edit, paths(&["w/out/../a"]), false),
        (&files, ToolId::ApplyPatch, paths(&["w/out/a", "w/b"]), false),
        (&files, ToolId::Write, CallFacts::default(), false),
        (&files, ToolId::Write, paths(&[]), false),
        (&files, ToolId::Read, CallFacts::default(), true),
        (&json!({"filesystem": {"paths": ["."]}}), ToolId::Edit, paths(&["w/a", "w/b/c"]), true),
        (&json!({"filesystem": {"paths": ["."]}}), ToolId::Edit, paths(&["v/a"]), false),
        (
            &json!({"filesystem": {"paths": ["out", "notes/a.md"]}}),
            ToolId::ApplyPatch,
            paths(&["w/out/b", "w/notes/a.md"]),
            true,
        ),
        (
            &json!({"filesystem": {"paths": ["notes/a.md"]}}),
            ToolId::ApplyPatch,
            paths(&["w/notes/a.mdx"]),
            false,
        ),
        (&json!({"sessions": {"maxDepth": 2}}), ToolId::SessionsSpawn, depth(2), true),
        (&json!({"sessions": {"maxDepth": 2}}), ToolId::SessionsSpawn, depth(3), false),
        (&json!({"sessions": {"maxDepth": 2}}), ToolId::SessionsSpawn, CallFacts::default(), false),
        (&json!({"sessions": {"maxDepth": 0}}), ToolId::SessionsSend, CallFacts::default(), true),
    ];
    for (value, tool, facts, kept) in table {
        assert_eq!(violation(value, tool, &facts).is_none(), kept, "{value} {tool:?} {facts:?}");
    }
}

#[test]
fn parsed_declaration_is_bounded() {
    let names: Vec<String> = (0..1_000).map(|number| format!("x{number}{}", "y".repeat(500))).collect();
    let declared = read(&json!(names));
    assert_eq!(declared.unknown.len(), 64);
    assert!(declared.unknown.iter().all(|name| name.chars().count() == 81));
    assert_eq!(declared.problems, ["only the first 64 of 1000 capabilities are read"]);
    let keys: serde_json::Map<String, Value> = names.iter().map(|name| (name.clone(), json!(name))).collect();
    let declared = read(&json!({"browser": keys}));
    assert_eq!(declared.advisory.len(), 33);
    assert_eq!(declared.advisory.last().unwrap(), "and more");
    let declared =
        read(&json!({"shell": {"allow": names.iter().map(|name| &name[..5]).collect::<Vec<_>>()}}));
    assert_eq!(declared.problems, ["shell.allow: only the first 256 entries are read: it allows nothing"]);
    // However often it is said.
    let part = |from: usize| {
        json!({"type": "shell", "allow": (from..from + 100).collect::<Vec<_>>()
        .iter().map(|number| format!("p{number}")).collect::<Vec<_>>()})
    };
    let declared = read(&Value::from((0..60).map(|at| part(at * 100)).collect::<Vec<_>>()));
    let [limit] = &declared.limits.descriptions(|_| true)[..] else { panic!("one limit") };
    assert_eq!(
        limit
            .split(", ")
            .filter(|name| name.trim_start_matches("and of these only ").starts_with('p'))
            .count(),
        255
    );
}

fn value() -> impl Strategy<Value = Value> {
    let word = prop_oneof![
        Just("shell"),
        Just("network"),
        Just("filesystem"),
        Just("sessions"),
        Just("type"),
        Just("name"),
        Just("mode"),
        Just("constraints"),
        Just("allow"),
        Just("hosts"),
        Just("paths"),
        Just("maxDepth"),
        Just("restricted"),
        Just("x"),
    ]
    .prop_map(str::to_owned);
    let text = prop_oneof![4 => word, 1 => ".{0,12}"];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        text.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((text.clone(), inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_value_parses_to_bounded_printable_text(value in value()) {
        let declared = read(&value);
        let shown = declared.unknown.iter().chain(&declared.advisory).chain(&declared.problems);
        for text in shown.cloned().chain(declared.limits.descriptions(|_| true)) {
            prop_assert!(!text.chars().any(char::is_control), "{text:?}");
            prop_assert!(text.chars().count() < 4_096);
        }
        prop_assert_eq!(read(&value), declared);
    }

    /// A further entry never permits a call that was denied before.
    #[test]
    fn further_entry_only_narrows(entries in entries(), facts in facts(), bare in any::<bool>()) {
        let workspace = absolute("w");
        let places = PathBases { workspace: &workspace, home: None };
        for capability in Capability::ALL {
            let declaration = |entry: &Value| json!({"type": capability.name(), "constraints": entry});
            let list = |entries: &[Value]| Value::from(entries.iter().map(declaration).collect::<Vec<_>>());
            let mut before = entries[..entries.len() - 1].to_vec();
            if bare {
                before.push(json!({}));
            }
            let after: Vec<Value> = before.iter().chain(entries.last()).cloned().collect();
            let (before, after) = (read(&list(&before)).limits, read(&list(&after)).limits);
            let needing = ToolId::ALL.iter().filter(|tool| tool.tier() == ToolTier::Needs(capability));
            for tool in needing.copied() {
                let broken = [&before, &after].map(|limits| limits.violation(tool, &facts, places).is_some());
                prop_assert!(broken[1] || !broken[0], "{capability} {entries:?} {facts:?}");
            }
        }
    }
}

/// Entries that mostly concern the same capabilities, so that they interact.
fn entries() -> impl Strategy<Value = Vec<Value>> {
    let key = select(vec!["allow", "hosts", "paths", "provider", "maxDepth"]);
    key.prop_flat_map(|key| prop::collection::vec(entry(key), 1..4))
}

/// Constraints of one entry: one with this key, mostly readable, and others.
fn entry(key: &'static str) -> impl Strategy<Value = Value> {
    let list = match key {
        "allow" => vec!["git", "gh", "/usr/bin/git"],
        "hosts" => vec!["a.org", "*.a.org", "b.a.org"],
        "paths" => vec!["out", "out/sub", "."],
        _ => vec!["brave", "searxng"],
    };
    let readable = if key == "maxDepth" {
        (0_u32..4).prop_map(Value::from).boxed()
    } else {
        subsequence(list, 1..=2).prop_map(|list| json!(list)).boxed()
    };
    let value_ = prop_oneof![8 => readable, 1 => value()];
    let beside = prop_oneof![
        (Just("mode"), select(vec![json!("full"), json!("restricted"), json!("sandboxed")])),
        (select(vec!["web_fetch", "web_search"]), any::<bool>().prop_map(Value::from)),
    ];
    let members =
        (option::weighted(0.9, value_), option::weighted(0.3, beside)).prop_map(move |(value, beside)| {
            let members = value.map(|value| (key, value)).into_iter().chain(beside);
            Value::Object(members.map(|(key, value)| (key.to_owned(), value)).collect())
        });
    prop_oneof![12 => members, 1 => value()]
}

/// Facts of a call, mostly known, on a list or not.
fn facts() -> impl Strategy<Value = CallFacts> {
    let programs = subsequence(vec!["git", "gh", "rm"], 1..=2).prop_map(|names| {
        let program = |name| Program { written: String::from(name), path: absolute("usr/bin").join(name) };
        names.into_iter().map(program).collect()
    });
    let hosts = subsequence(vec!["a.org", "b.a.org", "evil.test"], 1..=2);
    let hosts = hosts.prop_map(|hosts| hosts.into_iter().map(str::to_owned).collect());
    let paths = subsequence(vec!["w/out/sub/a", "w/out/b", "w/c", "etc/d"], 1..=2);
    let paths = paths.prop_map(|paths| paths.into_iter().map(absolute).collect());
    let provider = select(vec!["brave", "searxng", "other"]).prop_map(str::to_owned);
    let known = (
        option::weighted(0.9, programs),
        option::weighted(0.9, hosts),
        option::weighted(0.9, provider),
        option::weighted(0.9, paths),
        option::weighted(0.9, 0_u32..4),
    );
    known.prop_map(|(programs, hosts, provider, paths, depth)| CallFacts {
        programs,
        hosts,
        provider,
        paths,
        depth,
        ..CallFacts::default()
    })
}

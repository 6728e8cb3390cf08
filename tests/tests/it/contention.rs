//! Processes that write the same files concurrently lose no change.

use std::fs;
use std::process::{Command, Stdio};

use tarsus_apps::{AppGroup, Registry};
use tarsus_audit::RecordFilter;
use tarsus_home::config::ConfigFile;
use tarsus_tests::{TestHome, amount, open_audit, printed};

const DRIVER: &str = env!("CARGO_BIN_EXE_tarsus-test-driver");

/// Runs all at once, waits for all, and returns their outputs.
fn run_together(commands: impl IntoIterator<Item = Command>) -> Vec<String> {
    let running: Vec<_> = commands
        .into_iter()
        .map(|mut command| command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
        .collect();
    let ended = running.into_iter().map(|child| child.wait_with_output().unwrap());
    ended
        .map(|output| {
            assert!(output.status.success(), "{}", printed(&output));
            String::from_utf8(output.stdout).unwrap()
        })
        .collect()
}

fn driver(home: &TestHome, arguments: &[&str]) -> Command {
    let mut command = home.command(DRIVER);
    command.args(arguments);
    command
}

#[test]
fn concurrent_processes_lose_no_config_change() {
    let home = TestHome::in_memory();
    let state = home.state_dir().to_str().unwrap();
    fs::create_dir_all(state).unwrap();
    let text = "// kept\n{\n  gateway: { port: 0 }, // kept too\n  skills: { entries: {} },\n}\n";
    fs::write(home.home().config_path(), text).unwrap();
    let times = amount(50);
    let own_key = |number: u32| format!("skills.entries.skill-{number}.config.count");
    run_together((1..=8).map(|number| {
        driver(&home, &["config-increment", state, "gateway.port", &own_key(number), &times.to_string()])
    }));

    let loaded = ConfigFile::for_home(home.home()).load(&|_| None).unwrap();
    assert_eq!((&loaded.issues, loaded.view.gateway.port), (&Vec::new(), u16::try_from(8 * times).unwrap()));
    for number in 1..=8 {
        let own = loaded.document.get(&own_key(number).parse().unwrap()).unwrap();
        assert_eq!(own.to_value(), times, "process {number}");
    }
    let text = loaded.document.text();
    assert!(text.starts_with("// kept\n") && text.contains("// kept too\n"), "{text}");
}

#[test]
fn eight_processes_add_fifty_apps_each_and_none_is_lost() {
    let home = TestHome::in_memory();
    let state = home.state_dir().to_str().unwrap();
    let registry = Registry::for_home(home.home());
    fs::create_dir_all(registry.path().parent().unwrap()).unwrap();
    let text = "{\n  \"kept\": { \"weight\": 2.50 },\n  \"broken\": [1E+2]\n}\n";
    fs::write(registry.path(), text).unwrap();
    let times = amount(50);
    let name = |process: u32| format!("app {process}");
    run_together(
        (1..=8).map(|process| driver(&home, &["registry-add", state, &name(process), &times.to_string()])),
    );

    let loaded = registry.load().unwrap();
    let mut added: Vec<&str> = loaded.names().skip(2).collect();
    added.sort_unstable();
    let mut expected: Vec<String> = (1..=8)
        .flat_map(|process| (1..=times).map(move |time| format!("{} {time}", name(process))))
        .collect();
    expected.sort_unstable();
    assert_eq!(added, expected);
    assert!(loaded.apps.iter().skip(2).all(|app| app.group == AppGroup::Valid));
    let kept = fs::read_to_string(registry.path()).unwrap();
    assert!(kept.starts_with(text.trim_end_matches("\n}\n")), "{kept}");
}

#[test]
fn two_processes_append_a_thousand_lines_each_and_none_is_lost() {
    let home = TestHome::in_memory();
    let state = home.state_dir().to_str().unwrap();
    let lines = amount(1_000);
    let append = |name| driver(&home, &["audit-append", state, name, &lines.to_string()]);
    let printed = run_together(["one", "two"].map(append));
    let mut numbers: Vec<u64> =
        printed.iter().flat_map(|text| text.lines()).map(|line| line.parse().unwrap()).collect();
    numbers.sort_unstable();
    let all = 2 * lines as u64;
    assert!(numbers.iter().copied().eq(1..=all), "every number is given once");

    let audit = open_audit(home.home()).unwrap();
    let verification = audit.verify().unwrap();
    assert_eq!((verification.lines, verification.first_bad), (all, None));
    let records = audit.tail(&RecordFilter::default()).unwrap().records;
    for (name, printed) in ["one", "two"].into_iter().zip(printed) {
        let of_name = records.iter().filter(|record| record.entry.event == name);
        let numbers: Vec<String> = of_name.map(|record| record.seq.to_string()).collect();
        assert_eq!(numbers, printed.lines().collect::<Vec<_>>(), "each line is where its writer was told");
    }
}

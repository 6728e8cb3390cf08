//! What the pages say about models is what the code says.

use tarsus_models::{BUILT_IN, Limits, Policy};

/// The rows of the first table below a heading.
fn table(page: &str, heading: &str) -> Vec<String> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let page = std::fs::read_to_string(format!("{root}/{page}")).unwrap();
    let (_, section) = page.split_once(&format!("\n## {heading}\n")).unwrap();
    let rows = section.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
    rows.take_while(|line| line.starts_with('|')).map(str::to_owned).collect()
}

#[test]
fn bounds_of_a_request_to_a_model() {
    // Taken apart by name, so that a new limit cannot be forgotten here.
    let Limits {
        connect,
        first_byte,
        first_byte_loopback,
        idle,
        total,
        answer_bytes,
        event_bytes,
        arguments_bytes,
        calls,
        error_bytes,
    } = Limits::DEFAULT;
    let Policy { tries, first_pause, longest_pause, longest_wish, seed: _ } = Policy::new(0);
    let rows = [
        ("connect", format!("{connect:?}")),
        ("first_byte", format!("{first_byte:?}")),
        ("first_byte_loopback", format!("{first_byte_loopback:?}")),
        ("idle", format!("{idle:?}")),
        ("total", format!("{total:?}")),
        ("answer_bytes", answer_bytes.to_string()),
        ("event_bytes", event_bytes.to_string()),
        ("arguments_bytes", arguments_bytes.to_string()),
        ("calls", calls.to_string()),
        ("error_bytes", error_bytes.to_string()),
        ("tries", tries.to_string()),
        ("first_pause", format!("{first_pause:?}")),
        ("longest_pause", format!("{longest_pause:?}")),
        ("longest_wish", format!("{longest_wish:?}")),
    ];
    let expected: Vec<_> = rows.iter().map(|(name, value)| format!("| {name} | {value} |")).collect();
    assert_eq!(table("ARCHITECTURE.md", "Bounds of a request to a model"), expected);
}

#[test]
fn providers_of_the_user_guide() {
    let rows = BUILT_IN.iter().map(|provider| {
        let names: Vec<String> = provider.key_variables.iter().map(|name| format!("`{name}`")).collect();
        let keys = names.join(", ");
        let space = if keys.is_empty() { "" } else { " " };
        format!("| `{}` |{space}{keys} | `{}` |", provider.id, provider.dialect.as_str())
    });
    assert_eq!(table("docs/models.md", "Providers"), rows.collect::<Vec<_>>());
}

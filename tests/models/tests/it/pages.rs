//! The documents about models agree with the code.

use tarsus_models::{BUILT_IN_PROVIDERS, ModelLimits, RetryPolicy};

/// The rows of the first table below a heading.
fn table(page: &str, heading: &str) -> Vec<String> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let page = std::fs::read_to_string(format!("{root}/{page}")).unwrap();
    let (_, section) = page.split_once(&format!("\n## {heading}\n")).unwrap();
    let rows = section.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
    rows.take_while(|line| line.starts_with('|')).map(str::to_owned).collect()
}

#[test]
fn model_limits_match_the_guide() {
    // Taken apart by name, so that a new limit cannot be forgotten here.
    let ModelLimits {
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
    } = ModelLimits::DEFAULT;
    let RetryPolicy { max_attempts, base_delay, max_delay, max_retry_after, seed: _ } = RetryPolicy::new(0);
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
        ("max_attempts", max_attempts.to_string()),
        ("base_delay", format!("{base_delay:?}")),
        ("max_delay", format!("{max_delay:?}")),
        ("max_retry_after", format!("{max_retry_after:?}")),
    ];
    let expected: Vec<_> = rows.iter().map(|(name, value)| format!("| {name} | {value} |")).collect();
    assert_eq!(table("docs/dev/tables.md", "Limits of a request to a model"), expected);
}

#[test]
fn providers_match_the_guide() {
    let rows = BUILT_IN_PROVIDERS.iter().map(|provider| {
        let names: Vec<String> = provider.key_variables.iter().map(|name| format!("`{name}`")).collect();
        let keys = names.join(", ");
        let space = if keys.is_empty() { "" } else { " " };
        format!("| `{}` |{space}{keys} | `{}` |", provider.id, provider.dialect.as_str())
    });
    assert_eq!(table("docs/guides/models.md", "Providers"), rows.collect::<Vec<_>>());
}

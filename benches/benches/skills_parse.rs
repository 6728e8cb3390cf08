//! Parsing one SKILL.md, small, typical and large, with its hash and its heap use.
#![allow(missing_docs, reason = "a benchmark")]

use divan::counter::BytesCount;
use divan::{AllocProfiler, Bencher, bench};
use tarsus_skills::parse;

#[global_allocator]
static HEAP: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

/// A skill with a body of about so many bytes.
fn skill(body: usize) -> String {
    let metadata = r#"{"openclaw":{"emoji":"R","requires":{"bins":["curl","jq"],"env":["RAIN_KEY"]},"primaryEnv":"RAIN_KEY"}}"#;
    let head = format!(
        "---\nname: rain-notes\ndescription: Writes down when it rains. Use when somebody asks about the weather of last \
         week.\nhomepage: https://example.org/rain\nmetadata: {metadata}\n---\n\n# Rain notes\n\n"
    );
    let line = "Ask for the place, then write one line a day into the file of the month.\n";
    head + &line.repeat(body / line.len())
}

#[bench(args = [200, 4_000, 100_000])]
fn one_file(bencher: Bencher, body: usize) {
    let file = skill(body);
    bencher.counter(BytesCount::of_str(&file)).bench(|| parse(file.as_bytes(), "SKILL.md", "rain-notes"));
}

//! Reading and editing a configuration as it grows, compared with the `json5` crate, which only reads values; and a
//! change of the file itself, with its syncs.
#![allow(missing_docs, clippy::unwrap_used, clippy::disallowed_methods, reason = "a benchmark measures time")]

use std::cell::Cell;
use std::fmt::Write;
use std::hint::black_box;
use std::time::{Duration, Instant};

use divan::counter::BytesCount;
use divan::{Bencher, bench};
use serde_json::Value;
use tarsus_home::config::json5::{Document, Edit, JsonDialect, Path};
use tarsus_home::config::{ConfigFile, check};
use tarsus_home::files::syncs;
use tarsus_home::{Home, HomeOptions};
use tempfile::TempDir;

const KILOBYTES: &[usize] = &[1, 10, 100];

fn main() {
    for kilobytes in KILOBYTES {
        let text = configuration(*kilobytes);
        let ours = fastest(|| Document::parse(text.as_bytes(), JsonDialect::Json5).unwrap().value());
        let theirs = fastest(|| json5::from_str::<Value>(&text).unwrap());
        let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
        println!(
            "{kilobytes} KB: values with places in {ours:?}, the json5 crate in {theirs:?}: {ratio:.2} times its time"
        );
    }
    let (_folder, file) = file(1);
    change(&file, 1);
    let before = syncs();
    change(&file, 2);
    println!("syncs for one change of the file: {}", syncs() - before);
    divan::main();
}

/// A hand-written configuration: comments, bare keys, repeating agents, trailing commas.
fn configuration(kilobytes: usize) -> String {
    let mut text = String::from(
        "// my agents\n{\n  gateway: { port: 18789, bind: 'loopback' },\n  agents: {\n    list: [\n",
    );
    let mut number = 0;
    while text.len() < kilobytes * 1024 - 60 {
        number += 1;
        let agent = format!(
            "      {{ id: 'agent-{number}', name: \"Agent {number}\", /* kept */ tools: {{ allow: ['read', 'exec'], limit: 1.5e3, }} }},\n"
        );
        text.write_str(&agent).unwrap();
    }
    text.push_str("    ],\n  },\n}\n");
    text
}

/// The configuration as a file on a real disk.
fn file(kilobytes: usize) -> (TempDir, ConfigFile) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let choice = HomeOptions { state_flag: Some(folder.path().to_owned()), ..HomeOptions::default() };
    let home = Home::locate(&choice).unwrap();
    std::fs::write(home.config_path(), configuration(kilobytes)).unwrap();
    let file = ConfigFile::for_home(&home);
    (folder, file)
}

fn change(file: &ConfigFile, port: u16) {
    let edit = Edit::set(Path::key("gateway").join("port"), port);
    assert!(file.edit(None, &[edit]).unwrap().changed);
}

fn fastest<T>(work: impl Fn() -> T) -> Duration {
    let time = |_| {
        let start = Instant::now();
        black_box(work());
        start.elapsed()
    };
    (0..50).map(time).min().unwrap()
}

#[bench(args = KILOBYTES)]
fn parse(bencher: Bencher, kilobytes: usize) {
    let text = configuration(kilobytes);
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| Document::parse(text.as_bytes(), JsonDialect::Json5).unwrap());
}

#[bench(args = KILOBYTES)]
fn parse_with_the_json5_crate(bencher: Bencher, kilobytes: usize) {
    let text = configuration(kilobytes);
    bencher.counter(BytesCount::of_str(&text)).bench(|| json5::from_str::<Value>(&text).unwrap());
}

#[bench(args = KILOBYTES)]
fn edit(bencher: Bencher, kilobytes: usize) {
    let text = configuration(kilobytes);
    let document = Document::parse(text.as_bytes(), JsonDialect::Json5).unwrap();
    let edit = Edit::set(Path::key("gateway").join("port"), 19_000);
    bencher.counter(BytesCount::of_str(&text)).bench(|| document.edited(&edit).unwrap());
}

#[bench(args = KILOBYTES)]
fn change_the_file(bencher: Bencher, kilobytes: usize) {
    let (_folder, file) = file(kilobytes);
    let port = Cell::new(0_u16);
    bencher.bench_local(|| {
        port.set(port.get() % 1_000 + 1);
        change(&file, port.get());
    });
}

#[bench(args = KILOBYTES)]
fn check_the_values(bencher: Bencher, kilobytes: usize) {
    let text = configuration(kilobytes);
    let document = Document::parse(text.as_bytes(), JsonDialect::Json5).unwrap();
    bencher.counter(BytesCount::of_str(&text)).bench(|| check(&document, None));
}

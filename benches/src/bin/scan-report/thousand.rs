//! A thousand small skills, each a folder with a text and a script, scanned like a first start does.

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use tarsus_benches::skills;
use tarsus_scan::{Inventory, Ruleset, ScanLimits, Scanner};

const SKILLS: usize = 1000;

pub fn run() {
    let home = tempfile::tempdir().unwrap();
    let folders: Vec<PathBuf> =
        (0..SKILLS).map(|number| home.path().join(format!("skill-{number}"))).collect();
    for (number, folder) in folders.iter().enumerate() {
        fs::create_dir(folder).unwrap();
        fs::write(folder.join("SKILL.md"), skills::text(number, 1)).unwrap();
        fs::write(folder.join("run.sh"), format!("#!/bin/sh\necho {number} | tee out.txt\n")).unwrap();
    }

    let start = Instant::now();
    let rules = Ruleset::bundled();
    let hash = rules.hash().len();
    println!("rules and their hash ({hash} digits)      {:>8.0?}", start.elapsed());

    let start = Instant::now();
    let inventories: Vec<_> =
        folders.iter().map(|folder| Inventory::read(folder, &ScanLimits::default())).collect();
    println!("{SKILLS} folders read and hashed          {:>8.0?}", start.elapsed());

    let scanner = Scanner::new(rules);
    for threads in [1, 2, 4] {
        let start = Instant::now();
        std::thread::scope(|scope| {
            for part in inventories.chunks(SKILLS.div_ceil(threads)) {
                let scanner = &scanner;
                scope.spawn(move || part.iter().for_each(|inventory| drop(scanner.scan("x", inventory))));
            }
        });
        println!("{SKILLS} folders scanned, {threads} threads    {:>8.0?}", start.elapsed());
    }
}

//! Cryptocurrency mining.

use tarsus_protocol::scan::Category;

use super::{BLOCK, CRITICAL};
use crate::rule::{Detection, Patterns, Rule, RuleFamily};

pub(super) const FAMILY: RuleFamily = RuleFamily {
    category: Category::Miner,
    owasp: "AST01",
    fix: "Do not run it: it uses this machine to earn money for others.",
    rules: &[Rule {
        id: "miner.pool",
        title: "mines coins",
        why: "Mining needs a pool or a mining program; neither has a place in a skill.",
        how: Detection::Text(Patterns {
            hints: &[
                "stratum+",
                "xmrig",
                "minerd",
                "cpuminer",
                "coinhive",
                "cryptonight",
                "randomx",
                "nbminer",
                "t-rex",
            ],
            all: &[
                r"stratum\+(tcp|ssl|tls)://|\b(xmrig|minerd|cpuminer|nbminer)\b[^\n]{0,80}(--?(url|o|user|u|threads|algo|donate)\b)|\bcoinhive\b",
            ],
            ..BLOCK
        }),
        flags: &["xmrig -o pool.example.net:3333 --user abc", "POOL=stratum+tcp://pool.example.net:3333"],
        passes: &["Look up the price of a coin at an exchange."],
        ..CRITICAL
    }],
};

//! Real keys in the skill's own text.

use tarsus_protocol::scan::Category;

use super::{BLOCK, INFO, WARNING};
use crate::rule::{Detection, MentionPolicy, Patterns, Rule, RuleFamily};

pub(super) const FAMILY: RuleFamily = RuleFamily {
    category: Category::Secrets,
    owasp: "AST04",
    fix: "Revoke the key and read it from the environment.",
    rules: &[
        Rule {
            id: "secrets.service-key",
            title: "holds the key of a service",
            why: "Everybody who has the skill has the key; or the skill makes the person use the author's account.",
            how: Detection::Text(Patterns {
                hints: &[
                    "akia",
                    "ghp_",
                    "github_pat_",
                    "xoxb-",
                    "xoxp-",
                    "sk-ant-",
                    "sk_live_",
                    "rk_live_",
                    "glpat-",
                    "npm_",
                    "aiza",
                    "sk-proj-",
                ],
                all: &[
                    r"\b(akia[0-9a-z]{16}|ghp_[0-9a-z]{36}|github_pat_[0-9a-z_]{50,}|xox[bp]-\d{8,}-[0-9a-z-]{20,}|sk-ant-[0-9a-z_-]{40,}|[sr]k_live_[0-9a-z]{20,}|glpat-[0-9a-z_-]{20}|npm_[0-9a-z]{36}|aiza[0-9a-z_-]{35}|sk-proj-[0-9a-z_-]{40,})\b",
                ],
                unless: &[r"example|xxxx|1234567|abcdef|your|0000|placeholder|fake|dummy|\.\.\."],
                ..BLOCK
            }),
            mention: MentionPolicy::Sentence,
            flags: &["key = ghp_q8w7e6r5t4y3u2i1o0p9a8s7d6f5g4h3j2k1"],
            passes: &["key = ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "export GITHUB_TOKEN=..."],
            ..WARNING
        },
        Rule {
            id: "secrets.private-key",
            title: "holds a private key",
            why: "Everybody who has the skill has the key.",
            how: Detection::Text(Patterns {
                hints: &["private key-----"],
                all: &[
                    r"-----begin (rsa |ec |openssh |dsa |encrypted )?private key-----\s{0,4}[a-z0-9+/=]{40,}",
                ],
                ..BLOCK
            }),
            mention: MentionPolicy::Sentence,
            flags: &["-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n"],
            passes: &["-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----"],
            ..INFO
        },
    ],
};

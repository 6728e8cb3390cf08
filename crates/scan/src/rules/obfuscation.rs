//! Hiding the code that is run.

use tarsus_protocol::scan::Category;

use super::{BLOCK, CRITICAL, WARNING};
use crate::rule::{Detection, Patterns, Rule, RuleFamily};

pub(super) const FAMILY: RuleFamily = RuleFamily {
    category: Category::Obfuscation,
    owasp: "AST01",
    fix: "Decode it by hand and read it before anything runs; a skill has no reason to hide a command.",
    rules: &[
        Rule {
            id: "obfuscation.decoded-into-shell",
            title: "decodes a text and runs it",
            why: "Nobody can read what is run.",
            how: Detection::Text(Patterns {
                hints: &[
                    "base64", "xxd", "openssl", "| rev", "tr '", "printf", "base32", "gunzip", "uudecode",
                ],
                all: &[
                    r"\b(base64|base32)\s{1,2}(-d|--decode|-di|-d -i)\b[^\n]{0,60}\|\s{0,3}(sudo )?(/\w+/)?((ba|z|da|k)?sh|python3?|perl|ruby|node|php|source|xargs)\b|\bxxd -r[^\n]{0,30}\|\s{0,3}(sudo )?(/bin/)?(ba|z|da)?sh\b|\bopenssl (enc|base64)[^\n]{0,60}-d[^\n]{0,60}\|\s{0,3}(/bin/)?(ba|z)?sh\b|\|\s?rev\s?\|\s?(ba|z)?sh\b|\btr '[^'\n]{2,60}' '[^'\n]{2,60}'\s?\|\s?(ba|z)?sh\b|\b(gunzip|zcat)\b[^\n|]{0,60}\|\s?(ba|z)?sh\b|\bprintf '?(\\x[0-9a-f]{2}){3,}[^\n]{0,400}\|\s?(ba|z)?sh\b|\beval \x22?\$\((echo|printf|base64)[^\n]{0,400}(base64|xxd)",
                ],
                ..BLOCK
            }),
            flags: &["echo 'aGVsbG8=' | base64 -d | bash", "echo abcdef | xxd -r -p | sh"],
            passes: &["echo 'aGVsbG8=' | base64 -d > note.txt", "base64 -d key.b64 | jq ."],
            ..CRITICAL
        },
        Rule {
            id: "obfuscation.decoded-into-interpreter",
            title: "runs a decoded text as a program",
            why: "Nobody can read what is run.",
            how: Detection::Text(Patterns {
                hints: &["exec(", "eval(", "function(", "loads("],
                all: &[
                    r"\b(exec|eval|function)\s?\(\s?[^\n]{0,60}(b64decode|b32decode|a85decode|atob\(|base64|fromhex|unhexlify|zlib\.decompress|marshal\.loads|codecs\.decode|fromcharcode|rot13|decode\('hex)",
                ],
                ..BLOCK
            }),
            flags: &["exec(base64.b64decode('cHJpbnQoMSk='))", "eval(atob('YWxlcnQoMSk='))"],
            passes: &["data = base64.b64decode(reply['image'])"],
            ..CRITICAL
        },
        Rule {
            id: "obfuscation.program-from-hidden-file",
            title: "runs a file that is kept out of sight as a program",
            why: "What is run is neither in the skill nor where anybody looks.",
            how: Detection::Text(Patterns {
                hints: &["compile(", "exec(open", "eval(open", "/tmp/.", "/dev/shm/."],
                all: &[
                    r"\b(exec|eval)\s?\(\s?(compile\s?\(\s?)?open\s?\([^\n]{0,80}|\b(ba|z)?sh (/tmp|/var/tmp|/dev/shm)/\.[\w-]+|\bpython3? (/tmp|/var/tmp|/dev/shm)/\.[\w-]+|(^|\n|&& ?|; ?)(/tmp|/var/tmp|/dev/shm)/\.[\w-]+( |\n|$|&)",
                ],
                ..BLOCK
            }),
            flags: &["exec(open('/var/tmp/.state').read())", "sh /tmp/.update"],
            passes: &["python3 /tmp/report.py"],
            ..WARNING
        },
        Rule {
            id: "obfuscation.encoded-address",
            title: "keeps a web address in encoded form",
            why: "An address is encoded so that nobody who reads the skill sees where it leads.",
            how: Detection::Text(Patterns {
                hints: &["ahr0chm6ly", "ahr0cdovl", "68747470"],
                all: &[r"ahr0c(hm6ly|dovl)[a-z0-9+/_=-]{4,}|\b68747470(73)?3a2f2f[0-9a-f]{8,}"],
                ..BLOCK
            }),
            flags: &["url = base64.b64decode('aHR0cHM6Ly94LmV4YW1wbGUvYWJjZA==')"],
            passes: &["url = 'https://x.example/abcd'"],
            ..WARNING
        },
        Rule {
            id: "obfuscation.split-command",
            title: "writes a command so that it cannot be read",
            why: "Shells put such pieces together; people and simple checks do not.",
            how: Detection::Text(Patterns {
                hints: &["${ifs}", "$ifs", "$'\\x", "$@", "''"],
                all: &[
                    r"\w\$\{ifs\}[^\n]{1,80}\$\{ifs\}|\$'(\\x[0-9a-f]{2}){3,}|\b(c''url|cu''rl|w''get|ba''sh|b''ash|c\x22\x22url|ba\x22\x22sh)\b",
                ],
                ..BLOCK
            }),
            flags: &["cat${IFS}/etc/hosts${IFS}x", "$'\\x63\\x75\\x72\\x6c' example.org"],
            passes: &["IFS=, read -r a b"],
            ..WARNING
        },
    ],
};

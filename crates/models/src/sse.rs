//! Parser for server-sent events. Pure and bounded; the result does not depend on how the bytes are split.

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SseEvent {
    /// Empty when the event has no name.
    pub(crate) name: String,
    /// The `data` lines, joined by line feeds.
    pub(crate) data: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event of the answer is longer than {limit} bytes")]
pub(crate) struct TooLong {
    pub(crate) limit: usize,
}

/// Invalid UTF-8 is replaced; fields other than `event` and `data` are ignored.
#[derive(Debug)]
pub(crate) struct Sse {
    line: Vec<u8>,
    event: SseEvent,
    has_data: bool,
    /// The last byte was a carriage return; a line feed right after it belongs to it.
    after_cr: bool,
    is_first_line: bool,
    limit: usize,
}

impl Sse {
    #[must_use]
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            line: Vec::new(),
            event: SseEvent::default(),
            has_data: false,
            after_cr: false,
            is_first_line: true,
            limit,
        }
    }

    /// Parses the next bytes and calls `take` for each complete event.
    ///
    /// # Errors
    /// When an event is too long, or `take` fails.
    pub(crate) fn push<E: From<TooLong>>(
        &mut self,
        bytes: &[u8],
        mut take: impl FnMut(SseEvent) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut rest = bytes;
        while !rest.is_empty() {
            if self.after_cr {
                self.after_cr = false;
                if let Some(after) = rest.strip_prefix(b"\n") {
                    rest = after;
                    continue;
                }
            }
            let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
                self.fits(rest.len())?;
                self.line.extend_from_slice(rest);
                return Ok(());
            };
            self.fits(end)?;
            self.after_cr = rest[end] == b'\r';
            let event = if self.line.is_empty() {
                self.line(&rest[..end])
            } else {
                let mut line = std::mem::take(&mut self.line);
                line.extend_from_slice(&rest[..end]);
                let event = self.line(&line);
                line.clear();
                self.line = line;
                event
            };
            rest = &rest[end + 1..];
            if let Some(event) = event {
                take(event)?;
            }
        }
        Ok(())
    }

    /// Returns the last event if only the blank line after it is missing. An unterminated line is dropped.
    #[must_use]
    pub(crate) fn finish(mut self) -> Option<SseEvent> {
        self.line(b"")
    }

    fn fits(&self, more: usize) -> Result<(), TooLong> {
        let length = self.line.len() + self.event.data.len() + self.event.name.len();
        let limit = self.limit;
        if length.saturating_add(more) > limit { Err(TooLong { limit }) } else { Ok(()) }
    }

    fn line(&mut self, line: &[u8]) -> Option<SseEvent> {
        let line = if std::mem::take(&mut self.is_first_line) {
            line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line)
        } else {
            line
        };
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            return std::mem::take(&mut self.has_data).then_some(event);
        }
        let (field, value) = match line.iter().position(|byte| *byte == b':') {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &b""[..]),
        };
        let value = String::from_utf8_lossy(value.strip_prefix(b" ").unwrap_or(value));
        match field {
            b"data" => {
                if self.has_data {
                    self.event.data.push('\n');
                }
                self.has_data = true;
                self.event.data.push_str(&value);
            }
            b"event" => self.event.name = value.into_owned(),
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The events, and whether one was too long.
    fn read(pieces: &[&[u8]], limit: usize) -> (Vec<SseEvent>, bool) {
        let mut events = Vec::new();
        let mut sse = Sse::new(limit);
        for piece in pieces {
            let pushed = sse.push(piece, |event| {
                events.push(event);
                Ok::<_, TooLong>(())
            });
            if pushed.is_err() {
                return (events, true);
            }
        }
        events.extend(sse.finish());
        (events, false)
    }

    fn event(name: &str, data: &str) -> SseEvent {
        SseEvent { name: name.into(), data: data.into() }
    }

    #[test]
    fn events_follow_the_standard() {
        for (text, events) in [
            ("", vec![]),
            ("\n\n\n", vec![]),
            ("data: a\n\n", vec![event("", "a")]),
            ("data:a\n\ndata:  b\n\n", vec![event("", "a"), event("", " b")]),
            ("event: x\ndata: a\ndata: b\n\n", vec![event("x", "a\nb")]),
            ("event: x\n\ndata: a\n\n", vec![event("", "a")]),
            (": comment\nid: 7\nretry: 9\ndata: a\n\n", vec![event("", "a")]),
            ("data\n\n", vec![event("", "")]),
            ("data: a\r\ndata: b\r\n\r\n", vec![event("", "a\nb")]),
            ("data: a\r\rdata: b\r\r", vec![event("", "a"), event("", "b")]),
            ("\u{FEFF}data: a\n\n", vec![event("", "a")]),
            ("data: whole, but no blank line\n", vec![event("", "whole, but no blank line")]),
            ("data: half a li", vec![]),
            ("data: a:b\nnot a field\n\n", vec![event("", "a:b")]),
        ] {
            assert_eq!(read(&[text.as_bytes()], 1_000), (events, false), "{text:?}");
        }
        let broken = read(&[b"data: \xFF\xFE\n\n"], 1_000);
        assert_eq!(broken, (vec![event("", "\u{FFFD}\u{FFFD}")], false));
    }

    #[test]
    fn too_long_events_are_rejected() {
        let long = format!("data: ok\n\ndata: {}\n\n", "x".repeat(100));
        assert_eq!(read(&[long.as_bytes()], 50), (vec![event("", "ok")], true));
        let many = "data: 0123456789\n".repeat(10);
        assert_eq!(read(&[many.as_bytes()], 50), (vec![], true));
    }

    fn pieces() -> impl Strategy<Value = Vec<u8>> {
        const WORDS: [&[u8]; 12] = [
            b"data: ",
            b"data:",
            b"event: e",
            b"\n",
            b"\r",
            b"\r\n",
            b"\n\n",
            b":",
            b"{}",
            b"\xEF\xBB\xBF",
            "é".as_bytes(),
            b"\xFF",
        ];
        let word = prop::sample::select(&WORDS[..]);
        prop::collection::vec(word, 0..30).prop_map(|words| words.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn events_do_not_depend_on_how_bytes_are_split(
            bytes in pieces(), cuts in prop::collection::vec(0_usize..200, 0..8), limit in 10_usize..80,
        ) {
            let whole = read(&[&bytes], limit);
            let mut at: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            at.sort_unstable();
            let ends = at.iter().copied().chain([bytes.len()]);
            let starts = [0].into_iter().chain(at.iter().copied());
            let cut: Vec<&[u8]> = starts.zip(ends).map(|(from, to)| &bytes[from..to]).collect();
            prop_assert_eq!(read(&cut, limit), whole.clone());
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            prop_assert_eq!(read(&single, limit), whole);
        }
    }
}

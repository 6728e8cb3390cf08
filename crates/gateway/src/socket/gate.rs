//! A stream of which a stranger gets only so many bytes read, and never more than the frame that is being read.
//!
//! What comes after that frame stays in the stream: once it is known who is there, reading goes on without the gate.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The longest header of a frame.
const LONGEST_HEADER: usize = 14;

/// The stream behind its gate.
#[derive(Debug)]
pub(super) struct Gate<S> {
    stream: S,
    left: usize,
    frame: Frame,
}

/// What a reader is told when nothing more is let through.
#[derive(Debug, thiserror::Error)]
#[error("more was sent than is read before the handshake")]
pub(super) struct Shut;

impl<S> Gate<S> {
    /// Lets so many bytes through.
    pub(super) fn new(stream: S, bytes: usize) -> Self {
        Self { stream, left: bytes, frame: Frame::default() }
    }

    /// The stream without its gate.
    pub(super) fn into_inner(self) -> S {
        self.stream
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Gate<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let most = self.frame.missing().min(self.left).min(buf.remaining());
        if self.left == 0 {
            return Poll::Ready(Err(io::Error::other(Shut)));
        }
        let mut part = ReadBuf::new(buf.initialize_unfilled_to(most));
        let polled = Pin::new(&mut self.stream).poll_read(cx, &mut part);
        if let Poll::Ready(Ok(())) = polled {
            let read = part.filled().len();
            self.frame.take(part.filled());
            self.left -= read;
            buf.advance(read);
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Gate<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// How far a frame is read (RFC 6455, section 5.2).
#[derive(Debug, Default)]
struct Frame {
    header: [u8; LONGEST_HEADER],
    /// Bytes of the header that were read.
    read: usize,
    /// Bytes that follow the header.
    follow: u64,
}

impl Frame {
    /// How many bytes certainly belong to the frame that is being read, or to the header of the next one.
    fn missing(&self) -> usize {
        if self.follow > 0 {
            return usize::try_from(self.follow).unwrap_or(usize::MAX);
        }
        self.header_length() - self.read
    }

    /// How long the header is, as far as it is known: two bytes say it.
    fn header_length(&self) -> usize {
        if self.read < 2 {
            return 2;
        }
        let mask = if self.header[1] & 0x80 == 0 { 0 } else { 4 };
        2 + self.length_bytes() + mask
    }

    /// How many bytes the length has beside the seven bits of the second byte.
    fn length_bytes(&self) -> usize {
        match self.header[1] & 0x7f {
            126 => 2,
            127 => 8,
            _ => 0,
        }
    }

    /// Takes bytes that were read: no more than are missing.
    fn take(&mut self, bytes: &[u8]) {
        if self.follow > 0 {
            self.follow = self.follow.saturating_sub(bytes.len() as u64);
            return;
        }
        let end = self.read + bytes.len();
        self.header[self.read..end].copy_from_slice(bytes);
        self.read = end;
        if self.read >= 2 && self.read == self.header_length() {
            let length = &self.header[2..2 + self.length_bytes()];
            self.follow = match length {
                [] => u64::from(self.header[1] & 0x7f),
                long => long.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)),
            };
            self.read = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::mem::MaybeUninit;

    use proptest::prelude::*;
    use tokio::io::AsyncReadExt;

    use super::*;

    /// A frame as a client sends it.
    fn frame(payload: usize, masked: bool) -> Vec<u8> {
        let mask: u8 = if masked { 0x80 } else { 0 };
        let mut bytes = vec![0x81];
        match payload {
            0..126 => bytes.push(mask | payload as u8),
            126..65_536 => {
                bytes.push(mask | 126);
                bytes.extend((payload as u16).to_be_bytes());
            }
            _ => {
                bytes.push(mask | 127);
                bytes.extend((payload as u64).to_be_bytes());
            }
        }
        bytes.extend(vec![7; if masked { 4 } else { 0 }]);
        bytes.extend((0..payload).map(|at| at as u8 | 1));
        bytes
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_read_goes_past_the_end_of_a_frame_and_nothing_is_lost(
            sizes in proptest::collection::vec((prop_oneof![0_usize..130, 65_530_usize..65_540], any::<bool>()), 1..4),
            chunk in 1_usize..70_000,
        ) {
            let frames: Vec<Vec<u8>> = sizes.iter().map(|(size, masked)| frame(*size, *masked)).collect();
            let all = frames.concat();
            let ends: Vec<usize> = frames
                .iter()
                .scan(0, |at, frame| { *at += frame.len(); Some(*at) })
                .collect();
            let mut gate = Gate::new(all.as_slice(), all.len() + 1);
            let (mut heard, mut scratch) = (Vec::new(), vec![MaybeUninit::uninit(); chunk]);
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            runtime.block_on(async {
                loop {
                    let mut buf = ReadBuf::uninit(&mut scratch);
                    std::future::poll_fn(|cx| Pin::new(&mut gate).poll_read(cx, &mut buf)).await.unwrap();
                    if buf.filled().is_empty() {
                        break;
                    }
                    let before = heard.len();
                    heard.extend_from_slice(buf.filled());
                    let passed = ends.iter().any(|end| before < *end && *end < heard.len());
                    assert!(!passed, "a read from {before} to {} passes the end of a frame", heard.len());
                }
            });
            prop_assert_eq!(heard, all);
        }
    }

    #[tokio::test]
    async fn nothing_is_read_beyond_the_bound() {
        let bytes = frame(1_000, true);
        let mut gate = Gate::new(bytes.as_slice(), 100);
        let mut heard = Vec::new();
        let error = gate.read_to_end(&mut heard).await.unwrap_err();
        assert!(error.get_ref().is_some_and(|inner| inner.is::<Shut>()));
        assert_eq!(heard, bytes[..100]);
        assert_eq!(gate.into_inner(), &bytes[100..], "the rest stays where it was");
    }
}

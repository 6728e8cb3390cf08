//! A stream wrapper that limits how many bytes an unauthenticated client can make us read.
//!
//! A read never passes the end of the current frame, so that after the handshake reading continues on the inner
//! stream without losing bytes.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The longest header of a frame.
const MAX_HEADER_BYTES: usize = 14;

/// A stream with a read limit.
#[derive(Debug)]
pub(super) struct LimitedStream<S> {
    stream: S,
    remaining_bytes: usize,
    frame: Frame,
}

/// The error of a read beyond the limit.
#[derive(Debug, thiserror::Error)]
#[error("too much data before the handshake")]
pub(super) struct LimitReached;

impl<S> LimitedStream<S> {
    /// Limits reads to `bytes`.
    pub(super) fn new(stream: S, bytes: usize) -> Self {
        Self { stream, remaining_bytes: bytes, frame: Frame::default() }
    }

    pub(super) fn into_inner(self) -> S {
        self.stream
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for LimitedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let most = self.frame.bytes_to_read().min(self.remaining_bytes).min(buf.remaining());
        if self.remaining_bytes == 0 {
            return Poll::Ready(Err(io::Error::other(LimitReached)));
        }
        let mut part = ReadBuf::new(buf.initialize_unfilled_to(most));
        let polled = Pin::new(&mut self.stream).poll_read(cx, &mut part);
        if let Poll::Ready(Ok(())) = polled {
            let read = part.filled().len();
            self.frame.take(part.filled());
            self.remaining_bytes -= read;
            buf.advance(read);
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for LimitedStream<S> {
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

/// Parser state of the current frame (RFC 6455, section 5.2).
#[derive(Debug, Default)]
struct Frame {
    header: [u8; MAX_HEADER_BYTES],
    /// Bytes of the header that were read.
    read: usize,
    /// Bytes that follow the header.
    payload_left: u64,
}

impl Frame {
    /// Bytes that certainly belong to the current frame, or to the header of the next one.
    fn bytes_to_read(&self) -> usize {
        if self.payload_left > 0 {
            return usize::try_from(self.payload_left).unwrap_or(usize::MAX);
        }
        self.header_len() - self.read
    }

    /// Length of the header, once its first two bytes are known.
    fn header_len(&self) -> usize {
        if self.read < 2 {
            return 2;
        }
        let mask = if self.header[1] & 0x80 == 0 { 0 } else { 4 };
        2 + self.length_bytes() + mask
    }

    /// Bytes of the extended payload length.
    fn length_bytes(&self) -> usize {
        match self.header[1] & 0x7f {
            126 => 2,
            127 => 8,
            _ => 0,
        }
    }

    /// Takes bytes that were read: no more than are missing.
    fn take(&mut self, bytes: &[u8]) {
        if self.payload_left > 0 {
            self.payload_left = self.payload_left.saturating_sub(bytes.len() as u64);
            return;
        }
        let end = self.read + bytes.len();
        self.header[self.read..end].copy_from_slice(bytes);
        self.read = end;
        if self.read >= 2 && self.read == self.header_len() {
            let length = &self.header[2..2 + self.length_bytes()];
            self.payload_left = match length {
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
        fn reads_stop_at_frame_ends_without_loss(
            sizes in proptest::collection::vec((prop_oneof![0_usize..130, 65_530_usize..65_540], any::<bool>()), 1..4),
            chunk in 1_usize..70_000,
        ) {
            let frames: Vec<Vec<u8>> = sizes.iter().map(|(size, masked)| frame(*size, *masked)).collect();
            let all = frames.concat();
            let ends: Vec<usize> = frames
                .iter()
                .scan(0, |at, frame| { *at += frame.len(); Some(*at) })
                .collect();
            let mut limited_stream = LimitedStream::new(all.as_slice(), all.len() + 1);
            let (mut received, mut scratch) = (Vec::new(), vec![MaybeUninit::uninit(); chunk]);
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            runtime.block_on(async {
                loop {
                    let mut buf = ReadBuf::uninit(&mut scratch);
                    std::future::poll_fn(|cx| Pin::new(&mut limited_stream).poll_read(cx, &mut buf)).await.unwrap();
                    if buf.filled().is_empty() {
                        break;
                    }
                    let before = received.len();
                    received.extend_from_slice(buf.filled());
                    let passed = ends.iter().any(|end| before < *end && *end < received.len());
                    assert!(!passed, "a read from {before} to {} passes the end of a frame", received.len());
                }
            });
            prop_assert_eq!(received, all);
        }
    }

    #[tokio::test]
    async fn reads_stop_at_the_limit() {
        let bytes = frame(1_000, true);
        let mut limited_stream = LimitedStream::new(bytes.as_slice(), 100);
        let mut received = Vec::new();
        let error = limited_stream.read_to_end(&mut received).await.unwrap_err();
        assert!(error.get_ref().is_some_and(|inner| inner.is::<LimitReached>()));
        assert_eq!(received, bytes[..100]);
        assert_eq!(limited_stream.into_inner(), &bytes[100..], "the rest stays where it was");
    }
}

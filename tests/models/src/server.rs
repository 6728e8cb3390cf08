//! The server: a thread that listens on loopback, and one for each request.

use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use tarsus_models::Dialect;

use crate::http::{self, Recorded};
use crate::script::Reply;

type Answering = Box<dyn FnMut(&Recorded) -> Reply + Send>;

/// A model server that plays a script. It ends when it is dropped.
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    listening: Option<JoinHandle<()>>,
}

struct Shared {
    answering: Mutex<Answering>,
    seen: Mutex<Seen>,
    changed: Condvar,
    is_over: AtomicBool,
}

#[derive(Default)]
struct Seen {
    requests: Vec<Recorded>,
    finished: usize,
}

impl Server {
    /// Plays these replies, one a request, in order; after the last one it fails with status 500.
    #[must_use]
    pub fn playing(replies: impl IntoIterator<Item = Reply>) -> Self {
        let mut replies: VecDeque<Reply> = replies.into_iter().collect();
        Self::answering(move |_| {
            replies.pop_front().unwrap_or_else(|| Reply::failing(500, "the script is at its end"))
        })
    }

    /// Answers each request as it is told to.
    ///
    /// # Panics
    /// When nothing can listen on loopback.
    #[must_use]
    pub fn answering(answering: impl FnMut(&Recorded) -> Reply + Send + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port on loopback");
        let address = listener.local_addr().expect("a listener has an address");
        let shared = Arc::new(Shared {
            answering: Mutex::new(Box::new(answering)),
            seen: Mutex::default(),
            changed: Condvar::new(),
            is_over: AtomicBool::new(false),
        });
        let listening = thread::spawn({
            let shared = Arc::clone(&shared);
            move || listen(&listener, &shared)
        });
        Self { address, shared, listening: Some(listening) }
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The `baseUrl` of a provider that is spoken to in a dialect.
    #[must_use]
    pub fn base_url(&self, dialect: Dialect) -> String {
        let path = match dialect {
            Dialect::OpenaiCompletions | Dialect::OpenaiResponses => "/v1",
            Dialect::AnthropicMessages => "",
            Dialect::GoogleGenerativeAi => "/v1beta",
        };
        format!("http://{}{path}", self.address)
    }

    /// The requests so far.
    #[must_use]
    pub fn requests(&self) -> Vec<Recorded> {
        self.shared.seen().requests.clone()
    }

    /// Waits for so many requests.
    pub fn wait_for_requests(&self, count: usize) {
        self.wait(|seen| seen.requests.len() >= count);
    }

    /// Waits until so many requests are over: the reply was played, or the client hung up.
    pub fn wait_for_ends(&self, count: usize) {
        self.wait(|seen| seen.finished >= count);
    }

    fn wait(&self, until: impl Fn(&Seen) -> bool) {
        let seen = self.shared.seen();
        drop(
            self.shared.changed.wait_while(seen, |seen| !until(seen)).unwrap_or_else(PoisonError::into_inner),
        );
    }
}

impl Shared {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn listen(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.is_over.load(Ordering::Acquire) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let shared = Arc::clone(shared);
        thread::spawn(move || serve(stream, &shared));
    }
}

fn serve(mut stream: TcpStream, shared: &Shared) {
    // Small pieces are sent as they are.
    let _ = stream.set_nodelay(true);
    let Ok(Some(request)) = http::read(&stream) else { return };
    let reply = {
        let mut answering = shared.answering.lock().unwrap_or_else(PoisonError::into_inner);
        shared.seen().requests.push(request.clone());
        shared.changed.notify_all();
        answering(&request)
    };
    // A client that leaves is what some tests are about.
    let _ = http::play(&mut stream, &request, &reply);
    shared.seen().finished += 1;
    shared.changed.notify_all();
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Release);
        // Wakes the listener up.
        let _ = TcpStream::connect(self.address);
        if let Some(listening) = self.listening.take() {
            let _ = listening.join();
        }
    }
}

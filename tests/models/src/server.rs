//! The server: a thread that listens on loopback, and one for each request.

use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use tarsus_models::Dialect;

use crate::http::{self, RecordedRequest};
use crate::script::Reply;

type Handler = Box<dyn FnMut(&RecordedRequest) -> Reply + Send>;

/// A scripted model server. It stops when it is dropped.
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    listening: Option<JoinHandle<()>>,
}

struct Shared {
    handler: Mutex<Handler>,
    log: Mutex<RequestLog>,
    changed: Condvar,
    is_over: AtomicBool,
}

#[derive(Default)]
struct RequestLog {
    requests: Vec<RecordedRequest>,
    finished: usize,
}

impl Server {
    /// Sends these replies in order, one for each request; then fails with status 500.
    #[must_use]
    pub fn with_replies(replies: impl IntoIterator<Item = Reply>) -> Self {
        let mut replies: VecDeque<Reply> = replies.into_iter().collect();
        Self::with_handler(move |_| {
            replies.pop_front().unwrap_or_else(|| Reply::failing(500, "no scripted reply is left"))
        })
    }

    /// Answers each request with the handler's reply.
    ///
    /// # Panics
    /// When no port on loopback is available.
    #[must_use]
    pub fn with_handler(handler: impl FnMut(&RecordedRequest) -> Reply + Send + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port on loopback");
        let address = listener.local_addr().expect("a listener has an address");
        let shared = Arc::new(Shared {
            handler: Mutex::new(Box::new(handler)),
            log: Mutex::default(),
            changed: Condvar::new(),
            is_over: AtomicBool::new(false),
        });
        let listening = thread::spawn({
            let shared = Arc::clone(&shared);
            move || listen(&listener, &shared)
        });
        Self { address, shared, listening: Some(listening) }
    }

    /// The address of the server.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The `baseUrl` of a provider with a dialect.
    #[must_use]
    pub fn base_url(&self, dialect: Dialect) -> String {
        let path = match dialect {
            Dialect::OpenaiCompletions | Dialect::OpenaiResponses => "/v1",
            Dialect::AnthropicMessages => "",
            Dialect::GoogleGenerativeAi => "/v1beta",
        };
        format!("http://{}{path}", self.address)
    }

    /// The recorded requests.
    #[must_use]
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.shared.log().requests.clone()
    }

    /// Waits until this many requests were received.
    pub fn wait_for_requests(&self, count: usize) {
        self.wait(|log| log.requests.len() >= count);
    }

    /// Waits until this many requests are finished: replied to, or abandoned by the client.
    pub fn wait_for_ends(&self, count: usize) {
        self.wait(|log| log.finished >= count);
    }

    fn wait(&self, until: impl Fn(&RequestLog) -> bool) {
        let log = self.shared.log();
        drop(self.shared.changed.wait_while(log, |log| !until(log)).unwrap_or_else(PoisonError::into_inner));
    }
}

impl Shared {
    fn log(&self) -> MutexGuard<'_, RequestLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
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
        let mut handler = shared.handler.lock().unwrap_or_else(PoisonError::into_inner);
        shared.log().requests.push(request.clone());
        shared.changed.notify_all();
        handler(&request)
    };
    // Some tests disconnect the client.
    let _ = http::play(&mut stream, &request, &reply);
    shared.log().finished += 1;
    shared.changed.notify_all();
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Release);
        // Wakes the listener.
        let _ = TcpStream::connect(self.address);
        if let Some(listening) = self.listening.take() {
            let _ = listening.join();
        }
    }
}

//! A server that answers each path with fixed bytes and keeps what it was sent.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

pub struct Server {
    pub address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// On paths that begin with `/silent` the connection stays open after the answer.
    pub async fn start(answers: impl Fn(&str) -> Vec<u8> + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        tokio::spawn(async move {
            let mut silent = Vec::new();
            loop {
                let (mut connection, _) = listener.accept().await.unwrap();
                let mut request = Vec::new();
                while !request.ends_with(b"\r\n\r\n") {
                    request.push(connection.read_u8().await.unwrap());
                }
                let mut request = String::from_utf8(request).unwrap();
                let length = request
                    .to_lowercase()
                    .split_once("content-length: ")
                    .map_or(0, |(_, rest)| rest.split("\r\n").next().unwrap().parse().unwrap());
                let mut body = vec![0; length];
                connection.read_exact(&mut body).await.unwrap();
                request.push_str(&String::from_utf8(body).unwrap());
                let path = request.split(' ').nth(1).unwrap().to_owned();
                seen.lock().unwrap().push(request);
                // A client that has seen enough hangs up.
                let _hung_up = connection.write_all(&answers(&path)).await;
                if path.starts_with("/silent") {
                    silent.push(connection);
                }
            }
        });
        Self { address, requests }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

/// An answer with these headers, each with its line end.
pub fn answer(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head =
        format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

pub fn html(body: &str) -> Vec<u8> {
    answer("200 OK", "Content-Type: text/html; charset=utf-8\r\n", body.as_bytes())
}

pub fn redirect(location: &str) -> Vec<u8> {
    answer("302 Found", &format!("Location: {location}\r\n"), b"")
}

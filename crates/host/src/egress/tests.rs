//! The client against a real server on loopback, with names that resolve as the test says.

#![allow(clippy::disallowed_methods, reason = "the test server listens on loopback")]

use std::io::Write;
use std::net::SocketAddr;
use std::sync::Mutex;

use reqwest::dns::{Addrs, Name, Resolving};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::*;

/// A server that answers each path with fixed bytes and keeps what it was sent.
struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// On paths that begin with `/silent` the connection stays open after the answer.
    async fn start(answers: impl Fn(&str) -> Vec<u8> + Send + 'static) -> Self {
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
                let request = String::from_utf8(request).unwrap().to_lowercase();
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

    fn at(&self, path: &str) -> EgressRequest {
        EgressRequest::get(&format!("http://{}{path}", self.address)).unwrap()
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

/// Gives every name the same addresses.
struct Names(Vec<SocketAddr>);

impl Resolve for Names {
    fn resolve(&self, _: Name) -> Resolving {
        let found = self.0.clone();
        Box::pin(async move { Ok(Box::new(found.into_iter()) as Addrs) })
    }
}

fn ok(body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n", body.len());
    [head.as_bytes(), b"Connection: close\r\n\r\n", body].concat()
}

fn to(location: &str) -> Vec<u8> {
    let head = "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nConnection: close";
    format!("{head}\r\nLocation: {location}\r\n\r\n").into()
}

fn loopback(limits: EgressLimits) -> Egress {
    Egress::new(EgressRule::Loopback, limits)
}

async fn body(egress: &Egress, request: EgressRequest) -> Result<Vec<u8>, EgressError> {
    egress.send(request).await?.body().await
}

#[tokio::test]
async fn client_is_created_lazily() {
    let egress = loopback(EgressLimits::default());
    assert!(egress.client.get().is_none());
    let server = Server::start(|_| ok(b"hello")).await;
    assert_eq!(body(&egress, server.at("/")).await.unwrap(), b"hello");
    assert!(egress.client.get().is_some());
}

#[tokio::test]
async fn name_that_resolves_to_loopback_is_refused() {
    let server = Server::start(|_| ok(b"secret")).await;
    let names = Arc::new(Names(vec![server.address]));
    let egress = Egress::with_resolver(EgressRule::Public, EgressLimits::default(), names);
    let request = EgressRequest::get(&format!("http://public.example:{}/", server.address.port()));
    let refused = EgressRefusal::Address {
        host: "public.example".into(),
        address: server.address.ip(),
        kind: Some(ReservedRange::Loopback),
    };
    match egress.send(request.unwrap()).await {
        Err(EgressError::Refused { source, .. }) => assert_eq!(source, refused),
        other => panic!("{other:?}"),
    }
    assert_eq!(server.requests(), [] as [String; 0], "it was never connected to");
}

#[tokio::test]
async fn only_allowed_addresses_are_connected_to() {
    let server = Server::start(|_| ok(b"hello")).await;
    let blocked = SocketAddr::from(([10, 255, 255, 1], 0));
    let names = Arc::new(Names(vec![blocked, SocketAddr::from(([127, 0, 0, 1], 0))]));
    let egress = Egress::with_resolver(EgressRule::Loopback, EgressLimits::default(), names);
    let request = EgressRequest::get(&format!("http://model.example:{}/", server.address.port()));
    assert_eq!(body(&egress, request.unwrap()).await.unwrap(), b"hello");
}

#[tokio::test]
async fn redirects_are_checked_like_the_first_request() {
    let server = Server::start(|path| match path {
        "/private" => to("http://10.0.0.1/"),
        "/metadata" => to("http://169.254.169.254/latest/meta-data"),
        "/file" => to("file:///etc/passwd"),
        "/user" => to("http://a:b@127.0.0.1/"),
        "/name" => to("http://inner.example/"),
        _ => Vec::new(),
    })
    .await;
    let names = Arc::new(Names(vec![SocketAddr::from(([192, 168, 0, 1], 0))]));
    let egress = Egress::with_resolver(EgressRule::Loopback, EgressLimits::default(), names);
    let address = |host: &str, address: &str, kind| EgressRefusal::Address {
        host: host.into(),
        address: address.parse().unwrap(),
        kind: Some(kind),
    };
    for (path, expected) in [
        ("/private", address("10.0.0.1", "10.0.0.1", ReservedRange::Private)),
        ("/metadata", address("169.254.169.254", "169.254.169.254", ReservedRange::Metadata)),
        ("/file", EgressRefusal::Scheme { scheme: "file".into() }),
        ("/user", EgressRefusal::UserInfo),
        ("/name", address("inner.example", "192.168.0.1", ReservedRange::Private)),
    ] {
        match egress.send(server.at(path)).await {
            Err(EgressError::Refused { source, .. }) => assert_eq!(source, expected, "{path}"),
            other => panic!("{path}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn caller_checks_the_url_and_each_redirect() {
    let server = Server::start(|path| if path == "/" { to("/next") } else { ok(b"hello") }).await;
    let check = |url: &Url| match url.path() {
        "/next" => Err(EgressRefusal::Caller { reason: "not that".to_owned() }),
        _ => Ok(()),
    };
    let egress = loopback(EgressLimits::default());
    for (path, requests) in [("/next", 0), ("/", 1)] {
        match egress.send_checked(server.at(path), &check).await {
            Err(EgressError::Refused { source, .. }) => assert_eq!(source.to_string(), "not that"),
            other => panic!("{path}: {other:?}"),
        }
        assert_eq!(server.requests().len(), requests, "{path}");
    }
    let other = egress.send_checked(server.at("/other"), &check).await.unwrap();
    assert_eq!(other.body().await.unwrap(), b"hello");
}

#[tokio::test]
async fn exceptions_are_checked_on_the_resolved_address() {
    let server =
        Server::start(|path| if path == "/meta" { to("http://169.254.169.254/") } else { ok(b"hello") })
            .await;
    let port = server.address.port();
    let exceptions = EgressExceptions::default().with_allowed(["wiki.lan"]).unwrap();
    let exceptions = exceptions.with_blocked(["ads.example"]).unwrap();
    let rule = EgressRule::PublicExcept(Box::new(exceptions));
    let names = Arc::new(Names(vec![server.address]));
    let egress = Egress::with_resolver(rule, EgressLimits::default(), names);
    let get = |host: &str, path: &str| EgressRequest::get(&format!("http://{host}:{port}{path}")).unwrap();
    assert_eq!(body(&egress, get("wiki.lan", "/")).await.unwrap(), b"hello");
    let address = |host: &str, address: &str, kind| EgressRefusal::Address {
        host: host.into(),
        address: address.parse().unwrap(),
        kind: Some(kind),
    };
    for (host, path, expected) in [
        ("rebound.example", "/", address("rebound.example", "127.0.0.1", ReservedRange::Loopback)),
        ("wiki.lan", "/meta", address("169.254.169.254", "169.254.169.254", ReservedRange::Metadata)),
        ("ads.example", "/", EgressRefusal::Blocked { host: "ads.example".into() }),
    ] {
        match egress.send(get(host, path)).await {
            Err(EgressError::Refused { source, .. }) => assert_eq!(source, expected, "{host}{path}"),
            other => panic!("{host}{path}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn at_most_five_redirects_are_followed() {
    let server = Server::start(|path| match path[1..].parse::<u32>() {
        Ok(0) => ok(b"there"),
        Ok(left) => to(&format!("/{}", left - 1)),
        Err(_) => to("http://["),
    })
    .await;
    let egress = loopback(EgressLimits::default());
    let answer = egress.send(server.at("/5")).await.unwrap();
    assert_eq!((answer.status, answer.url.path()), (200, "/0"));
    let error = egress.send(server.at("/6")).await.unwrap_err();
    assert!(matches!(error, EgressError::TooManyRedirects { limit: 5, .. }), "{error:?}");
    let error = egress.send(server.at("/x")).await.unwrap_err();
    assert!(matches!(error, EgressError::Redirect { .. }), "{error:?}");

    let post = EgressRequest { method: Method::POST, ..server.at("/1") };
    assert_eq!(egress.send(post).await.unwrap().status, 302, "a POST is not sent twice");
}

#[tokio::test]
async fn keys_do_not_follow_a_redirect_to_another_site() {
    let other = Server::start(|_| ok(b"")).await;
    let url = format!("http://{}/", other.address);
    let server = Server::start(move |path| if path == "/" { to("/next") } else { to(&url) }).await;
    let mut request = server.at("/");
    for (name, value) in [("authorization", "bearer s3cret"), ("x-api-key", "s3cret"), ("accept", "text/x")] {
        request.headers.insert(name, HeaderValue::from_static(value));
    }
    loopback(EgressLimits::default()).send(request).await.unwrap();
    let carries = |request: &String| (request.matches("s3cret").count(), request.contains("text/x"));
    assert_eq!(server.requests().iter().map(carries).collect::<Vec<_>>(), [(2, true), (2, true)]);
    assert_eq!(other.requests().iter().map(carries).collect::<Vec<_>>(), [(0, true)]);
}

#[tokio::test]
async fn body_limit_applies_after_decompression() {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(&vec![0; 20_000_000]).unwrap();
    let bomb = packer.finish().unwrap();
    assert!(bomb.len() < 100_000, "far below the limit until it is unpacked");
    let server = Server::start(move |path| match path {
        "/fits" => ok(&[b'x'; 1_000_000]),
        "/large" => ok(&[b'x'; 1_000_001]),
        "/endless" => [b"HTTP/1.1 200 OK\r\n\r\n".as_slice(), &[b'x'; 1_100_000]].concat(),
        _ => {
            let head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n";
            [head.as_slice(), &bomb].concat()
        }
    })
    .await;
    let egress = loopback(EgressLimits { body: 1_000_000, ..EgressLimits::default() });
    assert_eq!(body(&egress, server.at("/fits")).await.unwrap().len(), 1_000_000);
    for path in ["/large", "/endless", "/bomb"] {
        let error = body(&egress, server.at(path)).await.unwrap_err();
        assert!(matches!(error, EgressError::TooLarge { limit: 1_000_000, .. }), "{path}: {error:?}");
    }
}

#[tokio::test]
async fn silent_and_broken_servers_are_distinguished() {
    const HALF: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf";
    let server = Server::start(|path| match path {
        "/silent" => Vec::new(),
        _ => HALF.to_vec(),
    })
    .await;
    let egress = loopback(EgressLimits { total: Duration::from_millis(200), ..EgressLimits::default() });
    for path in ["/silent", "/silent/half"] {
        let error = body(&egress, server.at(path)).await.unwrap_err();
        assert!(matches!(error, EgressError::TimedOut { .. }), "{path}: {error:?}");
    }
    let error = body(&loopback(EgressLimits::default()), server.at("/half")).await.unwrap_err();
    assert!(matches!(error, EgressError::Failed { .. }), "{error:?}");
}

#[tokio::test]
async fn connection_error_names_the_site_without_secrets() {
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let request = EgressRequest::get(&format!("http://{closed}/path?key=s3cret")).unwrap();
    let error = loopback(EgressLimits::default()).send(request).await.unwrap_err();
    assert_eq!(error.to_string(), format!("http://{closed} cannot be reached"));
    assert!(!format!("{error:?}").contains("s3cret"));
    assert!(matches!(EgressRequest::get("not a url"), Err(EgressError::Url { .. })));
}

//! Every route, with and without the token.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::Method;
use axum::http::header::{AUTHORIZATION, HOST};
use futures_util::stream::poll_fn;
use tarsus_agent::NoModelSource;
use tarsus_apps::conversation::Language;
use tarsus_audit::Audit;
use tarsus_home::credentials::Credentials;
use tarsus_home::{Home, HomeOptions, Secret};
use tarsus_host::Clock;
use tarsus_host::path::SearchPath;
use tempfile::TempDir;
use tower::ServiceExt as _;

use super::*;
use crate::access::Access;
use crate::connections::Connections;
use crate::gateway::GatewayContext;
use crate::running::RunningGateway;
use route::RouteAccess;

const PORT: u16 = 18789;
const TOKEN: &str = "correct horse";

/// The routes that answer without a token, besides the files of the page.
const OPEN: [&str; 7] = ["/", "/ws", "/agents/{agent}/settings", "/health", "/healthz", "/ready", "/readyz"];

const METHODS: [Method; 7] =
    [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS];

fn gateway(folder: &TempDir) -> Arc<Gateway> {
    let choice = HomeOptions { state_flag: Some(folder.path().to_owned()), ..HomeOptions::default() };
    let home = Home::locate(&choice).unwrap();
    let clock = Clock::system();
    let running = RunningGateway { pid: 1, addresses: Vec::new(), ready_at: clock.monotonic() };
    let context = GatewayContext {
        audit: Arc::new(Audit::open(&home, None).unwrap()),
        home,
        clock,
        variables: Box::new(|_| None),
        programs: Box::new(|| SearchPath::new("".as_ref(), None)),
        environment: Vec::new(),
        language: Language::English,
        agent: None,
        models: Some(Arc::new(NoModelSource)),
    };
    let access = Access::new(PORT, Vec::new(), Credentials::Token(Secret::new(TOKEN)));
    Arc::new(Gateway::new(context, running, access, Limits::DEFAULT).unwrap())
}

/// The response to a request whose body never comes; `None` if it is waited for. And whether the body was asked for.
async fn answer(
    gateway: &Arc<Gateway>,
    method: &Method,
    path: &str,
    token: Option<&str>,
) -> (Option<StatusCode>, bool) {
    let was_read = Arc::new(AtomicBool::new(false));
    let body = Body::from_stream(poll_fn({
        let was_read = Arc::clone(&was_read);
        move |_| {
            was_read.store(true, Ordering::Relaxed);
            std::task::Poll::<Option<Result<Bytes, std::io::Error>>>::Pending
        }
    }));
    let peer: SocketAddr = ([127, 0, 0, 1], 5000).into();
    let mut request = Request::builder()
        .method(method)
        .uri(path.replace("{agent}", "main"))
        .header(HOST, format!("127.0.0.1:{PORT}"))
        .extension(ConnectInfo(peer))
        .extension(Arc::new(Connections::new(gateway.limits)).admit().await);
    if let Some(token) = token {
        request = request.header(AUTHORIZATION, format!("Bearer {token}"));
    }
    let response = router(Arc::clone(gateway)).oneshot(request.body(body).unwrap());
    // The clock advances when everything waits.
    let response = tokio::time::timeout(Duration::from_secs(60), response).await.ok();
    (response.map(|response| response.unwrap().status()), was_read.load(Ordering::Relaxed))
}

#[tokio::test(start_paused = true)]
async fn no_route_waits_for_a_body_before_the_token_is_checked() {
    let folder = tempfile::tempdir().unwrap();
    let gateway = gateway(&folder);
    let mut checked = Vec::new();
    for route in routes(&gateway.limits) {
        let path = route.path;
        for method in METHODS {
            for token in [None, Some("wrong")] {
                let (status, was_read) = answer(&gateway, &method, path, token).await;
                let status = status.unwrap_or_else(|| panic!("{method} {path} waits for the body"));
                if route.access == RouteAccess::Anyone {
                    assert!(!was_read, "{method} {path} is open and reads the body");
                } else if status == StatusCode::UNAUTHORIZED {
                    checked.push((method.clone(), path));
                } else {
                    assert_eq!(status, StatusCode::METHOD_NOT_ALLOWED, "{method} {path} with {token:?}");
                }
            }
        }
    }
    checked.dedup();
    let expected = [
        (Method::GET, "/api/status"),
        (Method::HEAD, "/api/status"),
        (Method::GET, "/v1/models"),
        (Method::HEAD, "/v1/models"),
        (Method::POST, "/v1/chat/completions"),
    ];
    assert_eq!(checked, expected);
    // With the token, this one does wait.
    assert_eq!(answer(&gateway, &Method::POST, "/v1/chat/completions", Some(TOKEN)).await, (None, true));
}

#[test]
fn only_listed_routes_answer_without_a_token() {
    let files: Vec<&str> = assets::routes::<Arc<Gateway>>().map(|(path, _)| path).collect();
    let open = routes(&Limits::DEFAULT)
        .into_iter()
        .filter(|route| route.access == RouteAccess::Anyone && !files.contains(&route.path));
    assert_eq!(open.map(|route| route.path).collect::<Vec<_>>(), OPEN);
}

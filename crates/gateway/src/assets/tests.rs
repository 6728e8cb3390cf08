//! Responses for a page of three files, and checks of the embedded files.

use std::io::Read as _;

use axum::Router;
use axum::body::to_bytes;
use axum::http::{Method, Request};
use tower::ServiceExt as _;

use super::*;

static THREE: &[File] = &[
    File {
        path: "/",
        kind: "text/html; charset=utf-8",
        hash: "00",
        bytes: b"<!doctype html>",
        gzip: Some(b"small page"),
    },
    File {
        path: "/assets/index-4f2a.js",
        kind: "text/javascript; charset=utf-8",
        hash: "4f",
        bytes: b"long script",
        gzip: Some(b"short script"),
    },
    File { path: "/icon.svg", kind: "image/svg+xml", hash: "1c", bytes: b"<svg/>", gzip: None },
];

async fn ask(method: Method, path: &str, headers: &[(&str, &str)]) -> (StatusCode, Vec<String>, String) {
    let page = get(async |headers: HeaderMap| THREE[0].answer(&headers));
    let router = routes_of(THREE).fold(Router::new(), |router, (path, file)| router.route(path, file));
    let router: Router = router.route("/", page);
    let request =
        headers.iter().fold(Request::builder().method(method).uri(path), |request, (name, value)| {
            request.header(*name, *value)
        });
    let answer = router.oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    let (head, body) = answer.into_parts();
    let mut headers: Vec<_> =
        head.headers.iter().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())).collect();
    headers.sort();
    (head.status, headers, String::from_utf8(to_bytes(body, 1 << 20).await.unwrap().to_vec()).unwrap())
}

#[tokio::test]
async fn file_is_sent_in_accepted_encoding_with_cache_policy() {
    let gzip = [("accept-encoding", "gzip, br")];
    let (status, headers, body) = ask(Method::GET, "/assets/index-4f2a.js", &gzip).await;
    assert_eq!((status, body.as_str()), (StatusCode::OK, "short script"));
    let expected = [
        "cache-control: public, max-age=31536000, immutable",
        "content-encoding: gzip",
        "content-length: 12",
        "content-type: text/javascript; charset=utf-8",
        "etag: \"4f-gzip\"",
        "vary: accept-encoding",
    ];
    assert_eq!(headers, expected);

    let (status, headers, body) = ask(Method::GET, "/", &[]).await;
    assert_eq!((status, body.as_str()), (StatusCode::OK, "<!doctype html>"));
    let expected = [
        "cache-control: no-cache",
        "content-length: 15",
        "content-type: text/html; charset=utf-8",
        "etag: \"00\"",
        "vary: accept-encoding",
    ];
    assert_eq!(headers, expected);

    let (_, headers, body) = ask(Method::GET, "/icon.svg", &gzip).await;
    assert_eq!(body, "<svg/>");
    let expected =
        ["cache-control: no-cache", "content-length: 6", "content-type: image/svg+xml", "etag: \"1c\""];
    assert_eq!(headers, expected);
}

#[tokio::test]
async fn known_version_is_not_sent_again() {
    let known = [("if-none-match", "\"00\"")];
    let (status, headers, body) = ask(Method::GET, "/", &known).await;
    assert_eq!((status, body.as_str()), (StatusCode::NOT_MODIFIED, ""));
    assert_eq!(
        headers,
        ["cache-control: no-cache", "content-length: 15", "etag: \"00\"", "vary: accept-encoding"]
    );
    // The other encoding has another tag.
    let known = [("if-none-match", "\"00\""), ("accept-encoding", "gzip")];
    assert_eq!(ask(Method::GET, "/", &known).await.0, StatusCode::OK);
}

#[tokio::test]
async fn head_has_the_same_headers_without_a_body() {
    let (status, headers, body) = ask(Method::HEAD, "/assets/index-4f2a.js", &[]).await;
    assert_eq!((status, body.as_str()), (StatusCode::OK, ""));
    assert_eq!(headers, ask(Method::GET, "/assets/index-4f2a.js", &[]).await.1);
}

#[tokio::test]
async fn unknown_paths_are_not_found_and_files_are_read_only() {
    for path in
        ["/assets/", "/assets/index-0000.js", "/assets/../icon.svg", "/assets/%2e%2e/icon.svg", "/index.html"]
    {
        assert_eq!(ask(Method::GET, path, &[]).await.0, StatusCode::NOT_FOUND, "{path}");
    }
    assert_eq!(ask(Method::POST, "/icon.svg", &[]).await.0, StatusCode::METHOD_NOT_ALLOWED);
}

#[test]
fn embedded_page_is_complete() {
    let page = FILES.iter().find(|file| file.path == "/").unwrap();
    assert_eq!(page.kind, "text/html; charset=utf-8");
    let text = std::str::from_utf8(page.bytes).unwrap();
    let named = text.split('"').filter(|part| part.starts_with('/') && part.len() > 1);
    let missing: Vec<_> = named.filter(|part| !FILES.iter().any(|file| file.path == *part)).collect();
    assert!(missing.is_empty(), "the page names {missing:?}");
    for file in FILES {
        if let Some(gzip) = file.gzip {
            let mut plain = Vec::new();
            flate2::read::GzDecoder::new(gzip).read_to_end(&mut plain).unwrap();
            assert!(plain == file.bytes && gzip.len() < plain.len(), "{}", file.path);
        }
    }
}

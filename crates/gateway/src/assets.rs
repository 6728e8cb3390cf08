//! The files of the page, which are in the program: Studio, or the plain page where it was built without.
//!
//! Promises: a browser loads each version of a file once and then asks or knows; what it is sent is what the tag names.
//! Leaves to others: who may ask, and the headers that every answer has.

mod asked;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

/// Names below this have the hash of their contents in them, so that they never change.
const HASHED: &str = "/assets/";

/// A file of the page.
#[derive(Debug)]
struct File {
    /// Where it is asked for; `/` is the page itself.
    path: &'static str,
    /// What a browser is told that it is.
    kind: &'static str,
    hash: &'static str,
    bytes: &'static [u8],
    /// The same with fewer bytes, where it saves some.
    gzip: Option<&'static [u8]>,
}

/// Every file; made by `build.rs`.
static FILES: &[File] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// A route for each file but the page itself, which has more than one.
pub fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    routes_of(FILES)
}

fn routes_of<S: Clone + Send + Sync + 'static>(files: &'static [File]) -> Router<S> {
    files.iter().filter(|file| file.path != "/").fold(Router::new(), |router, file| {
        router.route(file.path, get(async |headers: HeaderMap| file.answer(&headers)))
    })
}

/// The page itself.
pub fn page(headers: &HeaderMap) -> Response {
    match FILES.iter().find(|file| file.path == "/") {
        Some(page) => page.answer(headers),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

impl File {
    fn answer(&self, headers: &HeaderMap) -> Response {
        let texts = |name| headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
        let gzip = self.gzip.filter(|_| asked::takes_gzip(texts(ACCEPT_ENCODING)));
        let bytes = gzip.unwrap_or(self.bytes);
        // Two forms of a file are two things to a cache.
        let tag = format!("\"{}{}\"", self.hash, if gzip.is_some() { "-gzip" } else { "" });
        let has_it = asked::has(texts(IF_NONE_MATCH), &tag);

        let keep =
            if self.path.starts_with(HASHED) { "public, max-age=31536000, immutable" } else { "no-cache" };
        // Said also where nothing is sent: else it would be taken for the length of the file.
        let length = bytes.len().to_string();
        let mut answer = [(CACHE_CONTROL, keep), (ETAG, &tag), (CONTENT_LENGTH, &length)].into_response();
        let mut set = |name, text| answer.headers_mut().insert(name, HeaderValue::from_static(text));
        if self.gzip.is_some() {
            set(VARY, "accept-encoding");
        }
        if has_it {
            *answer.status_mut() = StatusCode::NOT_MODIFIED;
            return answer;
        }
        set(CONTENT_TYPE, self.kind);
        if gzip.is_some() {
            set(CONTENT_ENCODING, "gzip");
        }
        *answer.body_mut() = Body::from(Bytes::from_static(bytes));
        answer
    }
}

#[cfg(test)]
mod tests;

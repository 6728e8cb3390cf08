//! The web for agents: a page as readable text, and the results of a search.
//!
//! Requests go through `host::egress`, which checks the address that is connected to. What arrives is hostile: bytes,
//! nodes, depth and time are bounded before a page is parsed, and a page beyond the bounds becomes plain text. A key
//! goes to its provider in a header and nowhere else.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod cache;
mod charset;
mod content;
mod error;
mod fetch;
mod html;
mod search;

pub use content::TextFormat;
pub use error::WebError;
pub use fetch::{HostCheck, Page, PageFetcher, PageRequest};
pub use html::{MAX_DEPTH, Readable, read_html};
pub use search::{
    Brave, DuckDuckGo, Freshness, MAX_RESULTS, SearchClient, SearchProvider, SearchQuery, SearchResult,
    SearchResults, Searxng, Tavily,
};

//! The tree of a page, within limits on its nodes, its depth, the time to build it and the text that it may become.

use dom_query::{Document, NodeData, NodeRef};
use html5ever::driver::ParseOpts;
use html5ever::parse_document;
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tree_builder::TreeBuilderOpts;
use tarsus_host::egress::Url;

/// Levels of a tree. Readers of a tree recurse into lists and quotes.
pub const MAX_DEPTH: usize = 200;
/// Nodes of a tree.
const MAX_NODES: usize = 200_000;
/// Bytes that are parsed before the limits are checked again.
const CHUNK: usize = 8 * 1024;
/// Bytes of text, each counted once for every level above it: extraction reads the text of every level.
const MAX_NESTED_BYTES: usize = 128 << 20;
/// Bytes of a text, each counted once for every character to escape in it: the writer of HTML looks through the rest of the
/// text for each.
const MAX_ESCAPED_BYTES: usize = 1 << 30;
/// Bytes that relative links may become when they are made absolute.
const MAX_LINK_BYTES: usize = 16 << 20;

/// The page exceeds a limit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Overlimit;

/// Builds the tree of a page.
pub(super) fn parse(html: &str, url: &Url, is_late: &dyn Fn() -> bool) -> Result<Document, Overlimit> {
    let opts = ParseOpts {
        tree_builder: TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() },
        ..ParseOpts::default()
    };
    let mut parser = parse_document(Document::default(), opts);
    let mut rest = html;
    while !rest.is_empty() {
        let end = rest.floor_char_boundary(CHUNK.min(rest.len()));
        let (chunk, left) = rest.split_at(end);
        rest = left;
        parser.process(StrTendril::from(chunk));
        let document = &parser.tokenizer.sink.sink;
        // One error for every odd byte would take more memory than the page.
        document.errors.borrow_mut().clear();
        if is_late() || document.tree.len() > MAX_NODES || open_depth(document) > MAX_DEPTH {
            return Err(Overlimit);
        }
    }
    let document = parser.finish();
    check(&document, url)?;
    Ok(document)
}

/// The depth of the place where the next node goes: usually the end of the last branch.
fn open_depth(document: &Document) -> usize {
    std::iter::successors(Some(document.root()), NodeRef::last_child).take(MAX_DEPTH + 2).count() - 1
}

/// Checks the finished tree, and removes content that is inside of links to it.
fn check(document: &Document, url: &Url) -> Result<(), Overlimit> {
    let (mut nested_bytes, mut links, mut escaped) = (0_usize, 0_usize, 0_usize);
    let mut depth = 0;
    let mut next = Some(document.root());
    while let Some(node) = next {
        if depth > MAX_DEPTH {
            return Err(Overlimit);
        }
        let (bytes, escapes) = text_bytes(&node);
        nested_bytes = nested_bytes.saturating_add(depth * bytes);
        escaped = escaped.saturating_add(escapes.saturating_mul(bytes));
        links += usize::from(remove_inline_data(&node));
        next = node.first_child();
        depth += 1;
        let mut finished = node;
        while next.is_none() {
            depth -= 1;
            next = finished.next_sibling();
            let Some(parent) = finished.parent().filter(|_| next.is_none()) else { break };
            finished = parent;
        }
    }
    let base = document.base_uri().map_or(0, |base| base.len()).max(url.as_str().len());
    if escaped > MAX_ESCAPED_BYTES
        || nested_bytes > MAX_NESTED_BYTES
        || links.saturating_mul(base) > MAX_LINK_BYTES
    {
        return Err(Overlimit);
    }
    Ok(())
}

/// The bytes of a text, and how many of them the writer of HTML escapes or may escape.
fn text_bytes(node: &NodeRef<'_>) -> (usize, usize) {
    node.query_or((0, 0), |node| match &node.data {
        NodeData::Text { contents } => {
            let escapes = contents.bytes().filter(|byte| matches!(byte, b'&' | b'<' | b'>' | 0xC2)).count();
            (contents.len(), escapes)
        }
        _ => (0, 0),
    })
}

/// Removes links that contain what they show; returns whether the node has another link.
fn remove_inline_data(node: &NodeRef<'_>) -> bool {
    const LINKS: [&str; 4] = ["href", "src", "srcset", "poster"];
    if !node.is_element() {
        return false;
    }
    let mut has_link = false;
    for name in LINKS {
        let Some(value) = node.attr(name) else { continue };
        let start = value.trim_start().as_bytes();
        if start.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"data:")) {
            node.remove_attr(name);
        } else {
            has_link = true;
        }
    }
    has_link
}

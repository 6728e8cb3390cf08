//! The text of HTML in one pass, without a tree: for pages beyond the limits, and for snippets.

/// Elements whose content is no text, or text in another syntax.
const SKIPPED: [&str; 6] = ["script", "style", "template", "noscript", "svg", "iframe"];
/// Elements that begin a line.
const BLOCKS: [&str; 26] = [
    "address",
    "article",
    "blockquote",
    "br",
    "dd",
    "div",
    "dl",
    "dt",
    "figcaption",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "li",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "tr",
    "ul",
];
/// Characters of the longest of these names, and of a reference such as `&amp;`.
const MAX_NAME: usize = 12;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PlainPage {
    pub(super) title: String,
    pub(super) text: String,
}

/// The text of a page, a line for each block.
pub(super) fn page_text(html: &str) -> PlainPage {
    let mut page = PlainPage::default();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        push_text(&mut page.text, &rest[..at]);
        rest = &rest[at..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            rest = comment.find("-->").map_or("", |end| &comment[end + 3..]);
            continue;
        }
        let (is_end, name) = match tag_name(rest) {
            Some(tag) => tag,
            None if rest.starts_with("<!") || rest.starts_with("<?") => {
                rest = rest.find('>').map_or("", |end| &rest[end + 1..]);
                continue;
            }
            None => {
                page.text.push('<');
                rest = &rest[1..];
                continue;
            }
        };
        rest = after_tag(rest);
        if BLOCKS.contains(&name.as_str()) && !page.text.ends_with('\n') {
            page.text.push('\n');
        }
        if is_end {
            continue;
        }
        if name == "title" && page.title.is_empty() {
            let (title, after) = split_at_end_tag(rest, &name);
            push_text(&mut page.title, title);
            rest = after;
        } else if SKIPPED.contains(&name.as_str()) {
            rest = split_at_end_tag(rest, &name).1;
        }
    }
    push_text(&mut page.text, rest);
    page
}

/// The text of a snippet, in one line.
pub(crate) fn inline_text(html: &str) -> String {
    page_text(html).text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a tag is an end tag, and its name in lower case; `None` if `<` begins no tag.
fn tag_name(tag: &str) -> Option<(bool, String)> {
    let after = tag.strip_prefix('<')?;
    let (is_end, after) = match after.strip_prefix('/') {
        Some(after) => (true, after),
        None => (false, after),
    };
    let name = after.bytes().take_while(u8::is_ascii_alphanumeric).take(MAX_NAME + 1).count();
    let begins = after.bytes().next().is_some_and(|letter| letter.is_ascii_alphabetic());
    begins.then(|| (is_end, after[..name].to_ascii_lowercase()))
}

/// What follows a tag. A `>` inside of a quoted value does not end it.
fn after_tag(tag: &str) -> &str {
    let mut quote = None;
    let mut before = b' ';
    for (at, letter) in tag.bytes().enumerate() {
        match (quote, letter) {
            (None, b'>') => return &tag[at + 1..],
            (None, b'"' | b'\'') if before == b'=' => quote = Some(letter),
            (Some(open), _) if open == letter => quote = None,
            _ => {}
        }
        if !letter.is_ascii_whitespace() {
            before = letter;
        }
    }
    ""
}

/// The content of an element, and what follows its end tag; all of it, if there is none.
fn split_at_end_tag<'a>(content: &'a str, name: &str) -> (&'a str, &'a str) {
    let mut from = 0;
    while let Some(at) = content[from..].find("</") {
        let at = from + at;
        if tag_name(&content[at..]).is_some_and(|(_, found)| found == name) {
            return (&content[..at], after_tag(&content[at..]));
        }
        from = at + 2;
    }
    (content, "")
}

/// Appends text with its references decoded and its white space collapsed.
fn push_text(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let (letter, length) = match reference(rest).filter(|_| letter == '&') {
            Some(decoded) => decoded,
            None => (letter, letter.len_utf8()),
        };
        rest = &rest[length..];
        if !letter.is_whitespace() {
            out.push(letter);
        } else if !out.is_empty() && !out.ends_with([' ', '\n']) {
            out.push(' ');
        }
    }
}

/// The character of a reference such as `&amp;` or `&#233;`, and its length.
fn reference(text: &str) -> Option<(char, usize)> {
    let name = text.strip_prefix('&')?;
    let end = name.bytes().take(MAX_NAME).position(|letter| letter == b';')?;
    let letter = match &name[..end] {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "ndash" => '–',
        "mdash" => '—',
        "hellip" => '…',
        "lsquo" => '‘',
        "rsquo" => '’',
        "ldquo" => '“',
        "rdquo" => '”',
        number => {
            let number = number.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => number.parse(),
            };
            code.ok().and_then(char::from_u32)?
        }
    };
    Some((letter, end + 2))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn text_is_taken_out_of_tags() {
        for (html, expected) in [
            ("a<b>b</b>c", "abc"),
            ("<p>one<p>two</p>\n<div>three", "\none\ntwo\nthree"),
            ("a < b &lt; c &amp;amp; d", "a < b < c &amp; d"),
            ("a<!-- <b> -->b<!-- x", "ab"),
            ("<script>if (a < b) '</scr'</script>x", "x"),
            ("<SCRIPT>x</Script >y", "y"),
            ("<style>x", ""),
            ("a<img alt='>' src=\"x>y\">b", "ab"),
            ("<a title=it's>b</a>", "b"),
            ("a<b", "a"),
            ("a</b", "a"),
            ("&#233;&#xe9;&eacute;&#x110000;&;&", "éé&eacute;&#x110000;&;&"),
            ("<!doctype html><?x?>a", "a"),
            ("a \n\t b&nbsp;&nbsp;c", "a b c"),
        ] {
            assert_eq!(page_text(html).text, expected, "{html}");
        }
        let page = page_text("<title> A &amp; B </title><h1>c</h1><svg><title>d</title></svg>");
        assert_eq!((page.title.as_str(), page.text.as_str()), ("A & B ", "\nc\n"));
        assert_eq!(inline_text("<strong>one</strong>\n<p>two &amp; three"), "one two & three");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn text_is_not_longer_than_its_html(
            html in prop::collection::vec(prop_oneof![
                Just("<p ".to_owned()), Just(">".to_owned()), Just("<!--".to_owned()), Just("</script".to_owned()),
                Just("&amp;".to_owned()), Just("='".to_owned()), Just("<script>".to_owned()), any::<String>(),
            ], 0..12).prop_map(|parts| parts.concat()),
        ) {
            let page = page_text(&html);
            prop_assert!(page.text.len() + page.title.len() <= html.len());
        }
    }
}

//! Pages that are made to exhaust their reader: of ten megabytes, and with as many nodes as are just read.

const SIZE: usize = 10 << 20;
/// Elements of a page, which have a text each.
const ELEMENTS: usize = 95_000;

const PARTS: [(&str, &str); 23] = [
    ("paragraph tags", "<p>"),
    ("division tags", "<div>"),
    ("open brackets", "<"),
    ("attributes of one tag", " aN"),
    ("formatting tags", "<b id=N>"),
    ("misnested formatting", "<div><b id=N></div>x"),
    ("misnested links", "<a href=N><div>x"),
    ("closed tags", "<b></b>"),
    ("comments", "<!--x-->"),
    ("open comments", "<!--"),
    ("nulls", "\0"),
    ("words", "lorem ipsum, "),
    ("line breaks", "<br>"),
    ("words and line breaks", "lorem ipsum, dolor<br><br>"),
    ("sentences in paragraphs", "<p>lorem ipsum, dolor sit amet, consectetur adipiscing elit</p>"),
    ("nested tables", "<table><tr><td>x"),
    ("foster parents", "<table><div>x"),
    ("lists", "<ul><li>x</ul>"),
    ("links", "<a href='/N'>link</a>"),
    ("headings", "<h1>x</h1>"),
    ("code", "<pre>`x\n```</pre>"),
    ("divisions of words", "<div>lorem ipsum, dolor<div>sit amet</div></div>"),
    ("scripts", "<script>x</script>"),
];

/// Each page of ten megabytes, with its name.
pub fn large_pages() -> impl Iterator<Item = (&'static str, String)> {
    PARTS.into_iter().map(|(name, part)| (name, page(part, SIZE)))
}

/// Each page with as many nodes as are just read.
pub fn full_pages() -> impl Iterator<Item = (&'static str, String)> {
    PARTS.into_iter().map(|(name, part)| {
        let elements = part.matches('<').count() - part.matches("</").count();
        (name, page(part, part.len() * ELEMENTS / elements.max(1)))
    })
}

/// A part repeated, with `N` counted up.
fn page(part: &str, size: usize) -> String {
    let mut html = String::with_capacity(size + 100);
    if part.starts_with(' ') {
        html.push_str("<a");
    }
    let mut number = 0_u64;
    while html.len() < size {
        html.push_str(&part.replace('N', &number.to_string()));
        number += 1;
    }
    html
}

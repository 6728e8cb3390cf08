//! Pages of ten megabytes that are made to exhaust their reader.

const SIZE: usize = 10 << 20;

/// Each page with its name.
pub fn pages() -> Vec<(&'static str, String)> {
    [
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
    ]
    .map(|(name, part)| (name, page(part)))
    .into()
}

/// A part repeated, with `N` counted up.
fn page(part: &str) -> String {
    let mut html = String::with_capacity(SIZE + 100);
    if part.starts_with(' ') {
        html.push_str("<a");
    }
    let mut number = 0_u64;
    while html.len() < SIZE {
        html.push_str(&part.replace('N', &number.to_string()));
        number += 1;
    }
    html
}

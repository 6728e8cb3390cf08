//! HTML that is made to exhaust its reader: it ends, its memory is bounded, its text is there.

use tarsus_host::Clock;
use tarsus_host::egress::Url;
use tarsus_web::{MAX_DEPTH, Readable, TextFormat, read_html};

fn read(html: &str) -> Readable {
    let url = Url::parse("https://example.org/a/").unwrap();
    read_html(html, &url, TextFormat::Markdown, false, &Clock::system())
}

/// Whether the page was too much for a tree, and its text was found all the same.
fn is_plain_with_text(html: &str) -> bool {
    let readable = read(html);
    readable.is_plain && readable.text.contains("needle")
}

#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    for tag in ["div", "b", "ul><li", "blockquote", "table><tr><td", "svg"] {
        let html = format!("<p>needle</p>{}", format!("<{tag}>").repeat(50_000));
        assert!(is_plain_with_text(&html), "{tag}");
    }
    // These close each other, or are nested in the tree alone.
    for tag in ["a", "button><p", "template", "select", "table><div"] {
        let html = format!("<p>needle</p>{}", format!("<{tag}>").repeat(50_000));
        assert!(read(&html).text.contains("needle"), "{tag}");
    }
    assert!(is_plain_with_text(&format!("{}needle", "<div>".repeat(1_000_000))));
    let closed = format!("{}needle{}<p>end", "<div>".repeat(300), "</div>".repeat(300));
    assert!(is_plain_with_text(&closed), "also if it was closed again");
}

#[test]
fn tree_of_the_maximum_depth_is_read() {
    for tag in ["div", "blockquote", "ul><li", "em"] {
        let levels = (MAX_DEPTH - 10) / (1 + tag.matches('>').count());
        let readable = read(&format!("{}needle", format!("<{tag}>").repeat(levels)));
        assert!(!readable.is_plain && readable.text.contains("needle"), "{tag}");
        assert!(read(&format!("{}needle", format!("<{tag}>").repeat(levels + 200))).is_plain, "{tag}");
    }
}

#[test]
fn any_part_can_be_repeated_without_end() {
    const SIZE: usize = 1 << 18;
    let repeated = |part: &str| format!("<p>needle</p>{}", part.repeat(SIZE / part.len()));
    let numbered = |part: &str| {
        let mut html = String::from("<p>needle</p>");
        let mut number = 0;
        while html.len() < SIZE {
            html.push_str(&part.replace('N', &number.to_string()));
            number += 1;
        }
        html
    };
    let table: Vec<(&str, String)> = vec![
        ("tags", repeated("<p>")),
        ("empty tags", repeated("<b></b>")),
        ("open brackets", repeated("<")),
        ("one tag", repeated("a ").replacen("</p>", "</p><a ", 1)),
        ("attributes", numbered(" aN").replacen("</p>", "</p><a ", 1)),
        ("attribute values", numbered(" aN='x'").replacen("</p>", "</p><a", 1)),
        ("one name", repeated("a").replacen("</p>", "</p><", 1)),
        ("formatting", numbered("<b id=N>").replacen("</p>", "</p><p>", 1)),
        ("misnested formatting", numbered("<div><b id=N></div>x")),
        ("misnested links", numbered("<a href=N><div>x")),
        ("comments", repeated("<!--x-->")),
        ("open comment", repeated("<!--")),
        ("end tags", repeated("</p>")),
        ("references", repeated("&amp;")),
        ("broken references", repeated("&x")),
        ("nulls", repeated("\0")),
        ("text", repeated("lorem ipsum ")),
        ("paragraphs", repeated("<p>lorem ipsum, dolor sit amet, consectetur</p>")),
        ("tables", repeated("<table><tr><td>x")),
        ("foster parents", repeated("<table><div>x")),
        ("lists", repeated("<ul><li>x</ul>")),
        ("options", repeated("<select><option>x")),
        ("line breaks", repeated("<br>")),
        ("scripts", repeated("<script>x</script>")),
        ("frames", repeated("<frameset><frame>")),
        ("headings", repeated("<h1>x</h1>")),
        ("pre", repeated("<pre>`x\n```")),
        ("brackets", repeated("[x](")),
        ("links", numbered("<a href='N'>x</a>")),
        ("long base", format!("<base href='/{}'>{}", "x".repeat(1 << 20), numbered("<a href=N>x</a>"))),
        ("inline data", repeated("<img src='data:image/png;base64,AAAA'>")),
    ];
    for (name, html) in table {
        let readable = read(&html);
        let is_expected = readable.text.contains("needle") || matches!(name, "frames" | "select");
        assert!(is_expected, "{name}: {:?}", readable.text.chars().take(80).collect::<String>());
        assert!(readable.text.len() <= 2 * html.len(), "{name}: {} bytes", readable.text.len());
    }
}

#[test]
fn ten_megabytes_of_one_tag_are_read_in_time() {
    let html = format!("<p>needle</p>{}", "<p>".repeat((10 << 20) / 3));
    assert!(is_plain_with_text(&html));
    let attributes: String = (0..1 << 20).map(|number| format!(" a{number}")).collect();
    assert!(is_plain_with_text(&format!("<p>needle</p><a{attributes}>")));
}

#[test]
fn long_base_does_not_multiply_links() {
    let links = "<p><a href=x>some words that are long enough to be read</a></p>".repeat(20_000);
    let html = format!("<base href='/{}/'><article>{links}</article>", "x".repeat(5_000));
    let readable = read(&html);
    assert!(readable.is_plain && readable.text.len() < html.len(), "{}", readable.text.len());
}

#[test]
fn inline_data_and_scripts_are_left_out() {
    let data = "A".repeat(100_000);
    let words = "Some words that make a paragraph long enough, with a comma, and another one. ".repeat(10);
    let html = format!(
        "<article><p>{words}</p><img src='data:image/png;base64,{data}' alt=cat><p>{words}</p>\
         <a href=' DATA:text/html,{data}'>link</a><script>hidden()</script><p>{words}</p></article>"
    );
    let text = read(&html).text;
    assert!(text.contains("Some words") && !text.contains("AAAA") && !text.contains("hidden"), "{text}");
}

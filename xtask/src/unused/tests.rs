use super::*;

fn names(files: &[(&str, &str)]) -> Vec<String> {
    let files: Vec<(String, String)> =
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    unused(&files).into_iter().map(|item| format!("{} {}", item.kind, item.name)).collect()
}

/// The unused items of a one-file crate, beside a binary that uses those in `uses`.
fn in_library(text: &str, uses: &str) -> Vec<String> {
    names(&[("crates/a/src/lib.rs", text), ("crates/b/src/main.rs", uses)])
}

#[test]
fn items_without_product_uses_are_listed() {
    let table: &[(&str, &str, &[&str])] = &[
        ("pub fn one() {}", "fn main() { a::one() }", &[]),
        ("pub fn one() {}", "fn main() {}", &["fn one"]),
        (
            "pub const fn one() {} pub async fn two() {} pub unsafe extern \"C\" fn three() {}",
            "",
            &["fn one", "fn two", "fn three"],
        ),
        (
            "pub const ONE: u8 = 1; pub static TWO: u8 = 2; pub type Three = u8;",
            "",
            &["const ONE", "static TWO", "type Three"],
        ),
        ("pub(crate) fn one() {} fn two() {} mod three {}", "", &[]),
        // Its own definition and its impl blocks do not use an item.
        ("pub fn one() { one() }", "", &["fn one"]),
        (
            "pub struct One; impl One { fn new() -> One { One } } impl Clone for One { fn clone(&self) -> One { One } }",
            "",
            &["struct One"],
        ),
        ("pub struct One; fn two() -> One { loop {} }", "", &[]),
        ("pub struct One; impl<T> From<One> for Vec<T> {}", "", &[]),
        ("pub struct One; impl std::fmt::Display for One {}", "", &["struct One"]),
        ("pub enum One { Two } impl Three { pub fn four(&self) {} }", "Three::four()", &["enum One"]),
        ("pub trait One { fn two(); }", "impl a::One for X {}", &[]),
        ("pub const ONE: T = T { a: 1 }; pub fn two() { ONE }", "two", &[]),
        // A method is called or named by a path; a local variable or a field of its name is no use.
        (
            "struct One; impl One { pub fn two(&self) {} pub const THREE: u8 = 3; }",
            "let two = x.two; two(THREE)",
            &["fn two", "const THREE"],
        ),
        (
            "struct One; impl One { pub fn two(&self) {} pub const THREE: u8 = 3; }",
            "x.two(); One::THREE",
            &[],
        ),
        (
            "struct One; impl One { pub fn two<T>(&self) {} pub fn three() {} }",
            "x.two::<u8>(); map(One::three)",
            &[],
        ),
        ("pub fn one() {}", "x.one(); x.one", &["fn one"]),
        ("pub fn one() {}", "x.map(one)", &[]),
        // Tests do not count.
        ("pub fn one() {} #[cfg(test)] mod tests { fn two() { super::one() } }", "", &["fn one"]),
        ("pub fn one() {} #[cfg(test)] #[allow(dead_code)] use x::one;", "", &["fn one"]),
        ("pub fn one() {} #[cfg(all(test, unix))] fn two() { one() }", "", &["fn one"]),
        ("pub fn one() {} #[cfg(not(test))] fn two() { one() }", "", &[]),
        ("#[cfg(test)] pub fn one() {}", "", &[]),
        // Neither do comments, text and other exports.
        ("/// [`one`]\npub fn one() {} // one\n/* one /* one */ one */", "", &["fn one"]),
        ("mod x { pub fn one() {} } pub use x::one;", "", &["fn one"]),
        ("pub fn one() {}", "fn main() { say(\"one\", r#\"one \" one\"#, b\"one\", 'o') }", &["fn one"]),
        // Captures in format strings and names in attributes do.
        ("pub const ONE: u8 = 1;", "fn main() { say(\"{ONE} of {{two}}\") }", &[]),
        ("pub fn one() {}", "#[serde(default = \"a::one\")] struct X;", &[]),
        // Lifetimes and characters are told apart.
        ("pub fn one<'a>(x: &'a str) {} pub fn two() { '\\''; '{'; one('a') }", "two()", &[]),
        // Names that a macro fills in are no items.
        ("macro_rules! x { ($name:ident) => { pub fn $name() {} } }", "", &[]),
    ];
    for (library, uses, expected) in table {
        let found: BTreeSet<String> = in_library(library, uses).into_iter().collect();
        assert_eq!(found, expected.iter().map(|name| (*name).to_owned()).collect(), "{library} {uses}");
    }
}

#[test]
fn test_modules_in_other_files_do_not_count() {
    let library = ("crates/a/src/lib.rs", "pub fn one() {} mod b; #[cfg(test)] mod fixture;");
    for test in [
        "crates/a/src/fixture.rs",
        "crates/a/src/fixture/mod.rs",
        "crates/a/src/fixture/deep.rs",
        "crates/a/src/b/c.rs",
    ] {
        let module = ("crates/a/src/b.rs", "#[cfg(test)] mod c;");
        assert_eq!(names(&[library, module, (test, "one()")]), ["fn one"], "{test}");
    }
    assert_eq!(names(&[library, ("crates/a/src/b.rs", "one()")]), [""; 0]);
}

#[test]
fn location_is_reported_and_only_crates_are_checked() {
    let files = [("crates/a/src/lib.rs", "\n\npub fn\n one() {}"), ("xtask/src/main.rs", "pub fn two() {}")];
    let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
    let shown: Vec<String> = unused(&files).iter().map(ToString::to_string).collect();
    assert_eq!(shown, ["crates/a/src/lib.rs:4: fn one"]);
}

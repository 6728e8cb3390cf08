//! `openclaw.json`: reading, showing and changing it.

use serde_json::{Value, json};
use tarsus_home::config::json5::{
    Document, Edit, JsonDialect, Node, NodeKind, Path, PathStep, SourceText, read_members, same_value,
};
use tarsus_home::config::{Lookup, changes, check, merge_patch, shown, shown_text};

pub(crate) const SEEDS: &[&[u8]] = &[
    include_bytes!("../seeds/config-commented.json5"),
    include_bytes!("../seeds/config-plain.json"),
    include_bytes!("../seeds/config-odd.json5"),
    include_bytes!("../seeds/config-one-line.json5"),
    b"{}",
    b"[[[[[[]]]]]]",
    b"\xef\xbb\xbf{\r\n\ta: 1, // x\r\n}\r\n",
];

/// A readable document survives a round trip, is shown safely, and is not changed by an equal view.
pub fn config(data: &[u8]) {
    for dialect in [JsonDialect::Json5, JsonDialect::Json] {
        let names = SourceText::new(data.to_vec())
            .and_then(|text| read_members(&text, dialect, |member| member.key.name, String::as_str));
        let whole = Document::parse_object(data, dialect)
            .map(|document| document.root().members().map(|(name, _)| name.to_owned()).collect());
        assert_eq!(names, whole, "one by one and as a whole the same is read");
        match Document::parse(data, dialect) {
            Ok(document) => read_holds(&document, data),
            Err(error) => {
                assert!(error.line > 0 && error.column > 0, "{error}");
                assert!(error.excerpt.text.chars().count() <= 100, "{error:?}");
                assert!(error.excerpt.offset <= error.excerpt.text.chars().count(), "{error:?}");
                assert!(!error.excerpt.text.chars().any(char::is_control), "{error:?}");
            }
        }
    }
}

fn read_holds(document: &Document, data: &[u8]) {
    assert_eq!(document.text().as_bytes(), data);
    let view = shown(document);
    for variables in [None, Some::<Lookup<'_>>(&|_| None), Some(&|_| Some("value".to_owned()))] {
        let issues = check(document, variables).issues;
        // An issue of the whole file would mean that a checked value does not fit the types.
        let placed = issues.iter().all(|issue| issue.line.is_some() || issue.message.ends_with("not listed"));
        assert!(placed, "{issues:?}");
    }
    let hidden = Document::parse(shown_text(document).as_bytes(), JsonDialect::Json5);
    assert!(hidden.is_ok_and(|hidden| same_value(&shown(&hidden), &view)), "text and values hide the same");
    if view.is_object() {
        assert_eq!(changes(document, &view), Ok(Vec::new()), "a view that says the same");
        assert_eq!(merge_patch(document, &json!({})).changed, Vec::<String>::new());
    }
}

/// Setting a new value at any place and removing it again restores the bytes.
pub fn config_edit(data: &[u8]) {
    let Ok(document) = Document::parse(data, JsonDialect::Json5) else { return };
    let [place, value, ..] =
        data.iter().fold(0_u32, |sum, byte| sum.wrapping_mul(31) ^ u32::from(*byte)).to_le_bytes();
    let places = places(&document);
    let (steps, node) = &places[usize::from(place) % places.len()];

    let mut new = steps.clone();
    match &node.kind {
        NodeKind::Object(_) => new.push(PathStep::Key(format!("new {place}"))),
        NodeKind::Array(items) => new.push(PathStep::Index(items.len())),
        _ => {}
    }
    new.extend((0..value % 3).map(|_| PathStep::Key("below".to_owned())));
    let value = match value % 4 {
        0 => json!(null),
        1 => json!(value),
        2 => json!("text"),
        _ => json!({ "a": [1, {}] }),
    };

    let Some(path) = Path::from_steps(new) else { return };
    assert_eq!(path.to_string().parse().as_ref(), Ok(&path));
    let is_new = document.get(&path).is_none();
    let Ok(set) = document.edited(&Edit::set(path.clone(), value.clone())) else { return };
    assert!(set.get(&path).is_some_and(|node| same_value(&node.to_value(), &value)), "{path}");
    if is_new {
        let back = set.edited(&Edit::Unset { path });
        assert!(back.is_ok_and(|back| back.text().as_bytes() == data), "set and unset");
    } else {
        // Removing it and restoring the view changes no more than the difference.
        let Ok(removed) = document.edited(&Edit::Remove { path }) else { return };
        restored(&removed, &document);
    }
}

/// Applying the values of one document makes the other equal.
fn restored(document: &Document, wanted: &Document) {
    let view = shown(wanted);
    let Ok(edits) = changes(document, &view) else { return };
    let Ok(after) = document.edited_all(&edits) else { return };
    // By id, the order of the agents is the file's.
    let sorted = |mut view: Value| {
        if let Some(Value::Array(agents)) = view.pointer_mut("/agents/list") {
            agents.sort_by_key(|agent| agent.get("id").map(Value::to_string));
        }
        view
    };
    let (after, view) = (sorted(shown(&after)), sorted(view));
    assert!(same_value(&after, &view), "{after}\n{view}");
}

/// Every value with its path.
fn places(document: &Document) -> Vec<(Vec<PathStep>, &Node)> {
    let mut places: Vec<(Vec<PathStep>, &Node)> = vec![(Vec::new(), document.root())];
    let mut at = 0;
    // One byte selects the place: more places are not needed.
    while at < places.len() && places.len() < 256 {
        let (steps, node) = places[at].clone();
        let below = |step: PathStep| steps.iter().cloned().chain([step]).collect();
        match &node.kind {
            NodeKind::Object(_) => {
                places
                    .extend(node.members().map(|(name, node)| (below(PathStep::Key(name.to_owned())), node)));
            }
            NodeKind::Array(items) => {
                places.extend(
                    items.iter().enumerate().map(|(index, node)| (below(PathStep::Index(index)), node)),
                );
            }
            _ => {}
        }
        at += 1;
    }
    places
}

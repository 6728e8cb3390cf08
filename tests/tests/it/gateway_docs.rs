//! The pages about the gateway and security list all methods, events and scopes.

use tarsus_protocol::event::Event;
use tarsus_protocol::rpc;
use tarsus_protocol::scope::Scope;

use crate::workspace::{file, table};

#[test]
fn every_method_is_on_the_page_about_the_gateway() {
    let rows: Vec<Vec<String>> = rpc::all()
        .map(|method| vec![method.name.to_owned(), method.scope.as_str().to_owned(), method.about.to_owned()])
        .collect();
    let shown = table(&file("docs/reference/gateway.md"), "Methods");
    let as_rows = |rows: &[Vec<String>]| -> Vec<String> {
        rows.iter().map(|row| format!("| `{}` | `{}` | {} |", row[0], row[1], row[2])).collect()
    };
    assert_eq!(as_rows(&shown), as_rows(&rows), "rows of the table:\n{}", as_rows(&rows).join("\n"));
}

#[test]
fn gateway_page_lists_every_event_with_its_receivers() {
    let shown: Vec<_> = table(&file("docs/reference/gateway.md"), "Events")
        .into_iter()
        .map(|row| (row[0].clone(), row[1].clone()))
        .collect();
    let scope = |event: &Event| event.scope().map_or("", |scope| scope.as_str()).to_owned();
    let events: Vec<_> = Event::ALL.iter().map(|event| (event.as_str().to_owned(), scope(event))).collect();
    assert_eq!(shown, events);
}

#[test]
fn every_scope_is_on_the_page_about_security() {
    let shown: Vec<_> =
        table(&file("docs/concepts/security.md"), "Scopes").into_iter().map(|row| row[0].clone()).collect();
    assert_eq!(shown, Scope::ALL.iter().map(|scope| scope.as_str()).collect::<Vec<_>>());
}

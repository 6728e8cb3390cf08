//! Requests to answers: one table, in which every method that the protocol declares has its handler.
//!
//! Promises: who asks and with what is checked before a handler sees it; what uses the disk waits for its turn and
//! holds up nobody else. A handler translates a request into a call of a room below and an answer back.

mod agent_files;
mod agents;
mod approvals;
mod apps;
mod backup;
mod chat;
mod config;
mod cron;
mod decisions;
mod devices;
mod failure;
mod identity;
mod install;
mod journal;
mod models;
mod overview;
mod secret;
mod sessions;
mod skills;
mod table;
mod tools;
mod trash;

use std::sync::LazyLock;

use tarsus_protocol::rpc as declared;

pub use failure::Failure;
pub use overview::health_of;
pub use table::{Answered, Caller, Payload, Table};

/// Every method that works.
pub static TABLE: LazyLock<Table> = LazyLock::new(|| {
    Table::default()
        .at_hand_or_on::<declared::overview::Health>(overview::health_at_hand, overview::health)
        .on::<declared::overview::Status>(overview::status)
        .on::<declared::overview::SystemPresence>(overview::system_presence)
        .on::<declared::config::Get>(config::get)
        .on::<declared::config::Set>(config::set)
        .on::<declared::config::Patch>(config::patch)
        .on::<declared::config::Schema>(config::schema)
        .on::<declared::agents::List>(agents::list)
        .on::<declared::agents::Create>(agents::create)
        .on::<declared::agents::Update>(agents::update)
        .on::<declared::agents::Delete>(agents::delete)
        .on::<declared::agents::FilesList>(agent_files::list)
        .on::<declared::agents::FilesGet>(agent_files::get)
        .on::<declared::agents::FilesSet>(agent_files::set)
        .kept_on::<declared::apps::List>(apps::list)
        .on::<declared::apps::Create>(apps::create)
        .on::<declared::apps::Validate>(apps::validate)
        .on::<declared::apps::Save>(apps::save)
        .on::<declared::apps::Patch>(apps::patch)
        .on::<declared::apps::Delete>(apps::delete)
        .on::<declared::apps::Restore>(apps::restore)
        .waiting_on::<declared::apps::Launch, _>(apps::launch)
        .waiting_on::<declared::apps::Stop, _>(apps::stop)
        .kept_on::<declared::skills::Status>(skills::status)
        .on::<declared::skills::Update>(skills::update)
        .on::<declared::skills::Bins>(skills::bins)
        .on::<declared::skills::Refresh>(skills::refresh)
        .waiting_on::<declared::skills::Install, _>(install::install)
        .waiting_on::<declared::skills::InstallStop, _>(install::stop)
        .on::<declared::skills::Grant>(decisions::grant)
        .on::<declared::skills::Revoke>(decisions::revoke)
        .on::<declared::skills::Seen>(decisions::seen)
        .on::<declared::skills::Accept>(decisions::accept)
        .on::<declared::skills::Trust>(decisions::trust)
        .on::<declared::skills::Remove>(trash::remove)
        .on::<declared::skills::Restore>(trash::restore)
        .on::<declared::skills::Trash>(trash::list)
        .on::<declared::sessions::List>(sessions::list)
        .on::<declared::sessions::Preview>(sessions::preview)
        .on::<declared::sessions::Patch>(sessions::patch)
        .waiting_on::<declared::sessions::Reset, _>(sessions::reset)
        .on::<declared::sessions::Transcripts>(sessions::transcripts)
        .waiting_on::<declared::sessions::Delete, _>(sessions::delete)
        .beginning_on::<declared::chat::Send, _>(chat::send)
        .beginning_on::<declared::chat::Agent, _>(chat::agent)
        .on::<declared::chat::History>(chat::history)
        .on::<declared::chat::Abort>(chat::abort)
        .only_waiting_on::<declared::chat::Wait, _>(chat::wait)
        .on::<declared::models::List>(models::list)
        .on::<declared::models::Cost>(models::cost)
        .on::<declared::tools::Catalog>(tools::catalog)
        .on::<declared::tools::ApprovalsGet>(tools::approvals_get)
        .on::<declared::tools::ApprovalsSet>(tools::approvals_set)
        .on::<declared::approvals::List>(approvals::list)
        .on::<declared::approvals::Resolve>(approvals::resolve)
        .on::<declared::cron::List>(cron::list)
        .on::<declared::cron::Status>(cron::status)
        .on::<declared::journal::LogsTail>(journal::logs_tail)
        .on::<declared::journal::AuditTail>(journal::audit_tail)
        .on::<declared::journal::AuditVerify>(journal::audit_verify)
        .on::<declared::backup::Make>(backup::make)
        .waiting_on::<declared::devices::TokenRevoke, _>(devices::revoke_token)
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_the_declared_methods_have_a_handler() {
        let mut declared: Vec<_> = declared::all().map(|method| method.name).collect();
        declared.sort_unstable();
        assert_eq!(TABLE.names().collect::<Vec<_>>(), declared);
    }
}

//! RPC methods: one table with a handler for every method of the protocol.
//!
//! Role, scope and parameters are checked before a handler runs; handlers that use the disk run on bounded blocking
//! threads. A handler only translates between the protocol and the crates below.

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
mod files;
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
pub use overview::health_summary;
pub use table::{Caller, Payload, RpcReply, Table};

/// Every method with its handler.
pub static TABLE: LazyLock<Table> = LazyLock::new(|| {
    Table::default()
        .cached_or_blocking::<declared::overview::Health>(overview::health_cached, overview::health)
        .blocking::<declared::overview::Status>(overview::status)
        .blocking::<declared::overview::SystemPresence>(overview::system_presence)
        .blocking::<declared::config::Get>(config::get)
        .blocking::<declared::config::Set>(config::set)
        .blocking::<declared::config::Patch>(config::patch)
        .blocking::<declared::config::Schema>(config::schema)
        .blocking::<declared::agents::List>(agents::list)
        .blocking::<declared::agents::Create>(agents::create)
        .blocking::<declared::agents::Update>(agents::update)
        .blocking::<declared::agents::Delete>(agents::delete)
        .blocking::<declared::agents::FilesList>(agent_files::list)
        .blocking::<declared::agents::FilesGet>(agent_files::get)
        .blocking::<declared::agents::FilesSet>(agent_files::set)
        .blocking_json::<declared::apps::List>(apps::list)
        .blocking::<declared::apps::Create>(apps::create)
        .blocking::<declared::apps::Validate>(apps::validate)
        .blocking::<declared::apps::Save>(apps::save)
        .blocking::<declared::apps::Patch>(apps::patch)
        .blocking::<declared::apps::Delete>(apps::delete)
        .blocking::<declared::apps::Restore>(apps::restore)
        .spawned::<declared::apps::Launch, _>(apps::launch)
        .spawned::<declared::apps::Stop, _>(apps::stop)
        .blocking_json::<declared::skills::Status>(skills::status)
        .blocking::<declared::skills::Update>(skills::update)
        .blocking::<declared::skills::Bins>(skills::bins)
        .blocking::<declared::skills::Refresh>(skills::refresh)
        .spawned::<declared::skills::Install, _>(install::install)
        .spawned::<declared::skills::InstallStop, _>(install::stop)
        .blocking::<declared::skills::Grant>(decisions::grant)
        .blocking::<declared::skills::Revoke>(decisions::revoke)
        .blocking::<declared::skills::Approve>(decisions::seen)
        .blocking::<declared::skills::Accept>(decisions::accept)
        .blocking::<declared::skills::Trust>(decisions::trust)
        .blocking::<declared::skills::Remove>(trash::remove)
        .blocking::<declared::skills::Restore>(trash::restore)
        .blocking::<declared::skills::Trash>(trash::list)
        .blocking::<declared::sessions::List>(sessions::list)
        .blocking::<declared::sessions::Preview>(sessions::preview)
        .blocking::<declared::sessions::Patch>(sessions::patch)
        .spawned::<declared::sessions::Reset, _>(sessions::reset)
        .blocking::<declared::sessions::Transcripts>(sessions::transcripts)
        .spawned::<declared::sessions::Delete, _>(sessions::delete)
        .blocking::<declared::files::Changes>(files::changes)
        .blocking::<declared::files::Diff>(files::diff)
        .blocking::<declared::files::Undo>(files::undo)
        .starting_run::<declared::chat::Send, _>(chat::send)
        .starting_run::<declared::chat::Agent, _>(chat::agent)
        .blocking::<declared::chat::History>(chat::history)
        .spawned::<declared::chat::Abort, _>(chat::abort)
        .cancellable::<declared::chat::Wait, _>(chat::wait)
        .blocking::<declared::models::List>(models::list)
        .blocking::<declared::models::Cost>(models::cost)
        .blocking::<declared::tools::Catalog>(tools::catalog)
        .blocking::<declared::tools::ApprovalsGet>(tools::approvals_get)
        .blocking::<declared::tools::ApprovalsSet>(tools::approvals_set)
        .blocking::<declared::approvals::List>(approvals::list)
        .blocking::<declared::approvals::Resolve>(approvals::resolve)
        .blocking::<declared::cron::List>(cron::list)
        .blocking::<declared::cron::Status>(cron::status)
        .blocking::<declared::journal::LogsTail>(journal::logs_tail)
        .blocking::<declared::journal::AuditTail>(journal::audit_tail)
        .blocking::<declared::journal::AuditVerify>(journal::audit_verify)
        .blocking::<declared::backup::Make>(backup::make)
        .spawned::<declared::devices::TokenRevoke, _>(devices::revoke_token)
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_declared_method_has_a_handler() {
        let mut declared: Vec<_> = declared::all().map(|method| method.name).collect();
        declared.sort_unstable();
        assert_eq!(TABLE.names().collect::<Vec<_>>(), declared);
    }
}

//! Notes on how a run was answered: the model, failed models, the version of the skills, the reply.

use rusqlite::{Connection, params};

use crate::error::{QueryError, StoreError};
use crate::names::{RunId, SingleLine};
use crate::sql;

/// A model that failed to answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TriedModel {
    /// Model name as `provider/model`.
    pub model: SingleLine,
    /// Reason of the failure.
    pub reason: String,
}

/// Additions to a run's record. `None` leaves a value unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunNote {
    /// The model that answered.
    pub model: Option<SingleLine>,
    /// Failed models, in addition to earlier ones.
    pub tried: Vec<TriedModel>,
    /// Version of the skills that the model was given.
    pub skills_version: Option<SingleLine>,
    /// Id of the message that the reply refers to.
    pub reply_to: Option<SingleLine>,
    /// Whether the agent chose to send nothing; never reset to false.
    pub is_silent: bool,
}

pub(crate) fn apply(db: &Connection, run: &RunId, note: &RunNote) -> Result<(), QueryError> {
    let found = db
        .prepare_cached(
            "UPDATE runs SET model = ifnull(?2, model), skills_version = ifnull(?3, skills_version),
               reply_to = ifnull(?4, reply_to), silent = max(silent, ?5)
             WHERE id = ?1",
        )?
        .execute(params![
            run.as_str(),
            note.model.as_ref().map(SingleLine::as_str),
            note.skills_version.as_ref().map(SingleLine::as_str),
            note.reply_to.as_ref().map(SingleLine::as_str),
            note.is_silent
        ])?;
    if found == 0 {
        return Err(StoreError::NoRun(run.clone()).into());
    }
    let mut add = db.prepare_cached("INSERT INTO tried (run, model, reason) VALUES (?1, ?2, ?3)")?;
    for tried in &note.tried {
        add.execute(params![run.as_str(), tried.model.as_str(), sql::truncate_reason(&tried.reason)])?;
    }
    Ok(())
}

/// Lists the failed models in the order of their notes.
pub(crate) fn tried_models(db: &Connection, run: &RunId) -> Result<Vec<TriedModel>, QueryError> {
    let mut query = db.prepare_cached("SELECT model, reason FROM tried WHERE run = ?1 ORDER BY number")?;
    let tried = query.query_map([run.as_str()], |row| {
        Ok(TriedModel {
            model: sql::require(sql::parsed_column(row, "model")?, "model")?,
            reason: row.get("reason")?,
        })
    })?;
    Ok(tried.collect::<rusqlite::Result<_>>()?)
}

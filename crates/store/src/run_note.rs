//! What a run's record says of how it was answered: the model that did, those that did not, the skills that it was told
//! of.

use rusqlite::{Connection, params};

use crate::error::{QueryError, StoreError};
use crate::names::{Line, RunId};
use crate::sql;

/// A model that was asked and did not answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TriedModel {
    /// The model, as `provider/model`.
    pub model: Line,
    /// Why it did not.
    pub reason: String,
}

/// Something to be noted of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunNote {
    /// The model that answered; `None` leaves what is there.
    pub model: Option<Line>,
    /// Models that did not answer, beside those that were noted before.
    pub tried: Vec<TriedModel>,
    /// The version of the skills that the model was told of; `None` leaves what is there.
    pub skills_version: Option<Line>,
    /// The message that the reply is to; `None` leaves what is there.
    pub reply_to: Option<Line>,
    /// Whether the agent chose to say nothing.
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
            note.model.as_ref().map(Line::as_str),
            note.skills_version.as_ref().map(Line::as_str),
            note.reply_to.as_ref().map(Line::as_str),
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

/// The models that did not answer, in the order in which they were noted.
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

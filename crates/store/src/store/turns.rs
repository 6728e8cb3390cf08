//! What a turn writes as it goes on: words of the model, what tools are asked to do and what came of it, and what is
//! known of a run that was cut.

use tarsus_home::files::Durability;

use super::Store;
use crate::activation::{self, ACTIVATION_BYTES};
use crate::answer::Answer;
use crate::call::{self, NewCall};
use crate::context::{self, Joined, SUMMARY_BYTES, Summary};
use crate::error::StoreError;
use crate::message::Encoded;
use crate::names::RunId;
use crate::run_note::{self, RunNote};
use crate::transcript::{self, NewItem};
use crate::unfinished;
use crate::usage::{self, Usage};
use crate::{draft, run};

impl Store {
    /// Adds what the model said to the transcript of a run that goes on, with the calls that it asks for and what the
    /// request has cost, and clears the draft: all or nothing. Answers with the number of the item. Power-safe where a
    /// call begins with it.
    pub fn said(
        &self,
        new: NewItem,
        calls: Vec<NewCall>,
        usage: Option<Usage>,
        durability: Durability,
    ) -> Answer<u64> {
        let (message, run) = match (Encoded::new(&new.message), new.run.clone()) {
            (Ok(message), Some(run)) => (message, run),
            (Err(error), _) => return Answer::refused(error),
            (_, None) => return Answer::refused(StoreError::OfNoRun),
        };
        let begins = calls.iter().any(|call| call.begun);
        let durability = if begins { Durability::PowerSafe } else { durability };
        let usage = usage.map(|usage| Usage { run: run.clone(), ..usage });
        self.change(durability, message.json.len(), move |db| {
            run::ensure_running(db, &run)?;
            let number = transcript::append(db, &new, &message)?;
            calls.iter().try_for_each(|call| call::insert(db, &run, call, new.at_ms))?;
            draft::clear(db, &run)?;
            usage.iter().try_for_each(|usage| usage::insert(db, usage, Some(number)))?;
            Ok(number)
        })
    }

    /// Writes, power-safe, that a call is about to run. Refused when it has begun before, has its result, or its run is
    /// over.
    pub fn begin_call(&self, run: RunId, call: String, at_ms: i64) -> Answer<()> {
        self.change(Durability::PowerSafe, 0, move |db| call::mark_started(db, &run, &call, at_ms))
    }

    /// Adds the result of a call to the transcript of its run and closes the call, power-safe; answers with the number
    /// of the item. A second result is refused.
    pub fn result(&self, run: RunId, call: String, new: NewItem) -> Answer<u64> {
        let message = match Encoded::new(&new.message) {
            Ok(message) => message,
            Err(error) => return Answer::refused(error),
        };
        let new = NewItem { run: Some(run.clone()), ..new };
        self.change(Durability::PowerSafe, message.json.len(), move |db| {
            call::record_result(db, &run, &call, &new, &message)
        })
    }

    /// Adds a piece to the draft of a run that goes on, kill-safe.
    pub fn draft(&self, run: RunId, text: String, at_ms: i64) -> Answer<()> {
        self.change(Durability::KillSafe, text.len(), move |db| draft::append(db, &run, &text, at_ms))
    }

    /// Discards the draft of a run, kill-safe.
    pub fn drop_draft(&self, run: RunId) -> Answer<()> {
        self.change(Durability::KillSafe, 0, move |db| draft::clear(db, &run))
    }

    /// Notes how a run is answered, kill-safe.
    pub fn note_run(&self, run: RunId, note: RunNote) -> Answer<()> {
        self.change(Durability::KillSafe, 0, move |db| run_note::apply(db, &run, &note))
    }

    /// Writes which skills have had a say in the transcript of a run, kill-safe: before what they said, if it is asked for
    /// before that.
    pub fn set_activation(&self, run: RunId, activation: String) -> Answer<()> {
        if activation.len() > ACTIVATION_BYTES {
            let (what, limit) = ("what is known of skills that had a say", ACTIVATION_BYTES as u64);
            return Answer::refused(StoreError::TooLarge { what, limit, unit: "bytes" });
        }
        self.change(Durability::KillSafe, activation.len(), move |db| activation::set(db, &run, &activation))
    }

    /// Adds a summary of what is old in the transcript of a run that goes on, with a remark about it: both or neither.
    /// Answers with the number of the remark. Kill-safe: one that is lost is made again.
    pub fn summarise(&self, run: RunId, summary: Summary, remark: NewItem) -> Answer<u64> {
        if summary.text.len() > SUMMARY_BYTES {
            let (what, limit) = ("the summary of a conversation", SUMMARY_BYTES as u64);
            return Answer::refused(StoreError::TooLarge { what, limit, unit: "bytes" });
        }
        let message = match Encoded::new(&remark.message) {
            Ok(message) => message,
            Err(error) => return Answer::refused(error),
        };
        let remark = NewItem { run: Some(run.clone()), ..remark };
        let bytes = summary.text.len() + message.json.len();
        self.change(Durability::KillSafe, bytes, move |db| {
            run::ensure_running(db, &run)?;
            let number = transcript::append(db, &remark, &message)?;
            context::insert_summary(db, &run, &summary, number, remark.at_ms)?;
            Ok(number)
        })
    }

    /// Has the turn of one run take in the message of another run that waits, which is over with that; power-safe, as
    /// the model is told of it.
    pub fn join(&self, item: u64, from: RunId, into: Joined, at_ms: i64) -> Answer<()> {
        self.change(Durability::PowerSafe, 0, move |db| context::join_message(db, item, &from, &into, at_ms))
    }

    /// Closes a run that the last process left: adds the items, among them a result for each open call, clears the draft
    /// and marks the run as interrupted, power-safe and all or nothing. Answers with the numbers of the items.
    pub fn interrupt(&self, run: RunId, items: Vec<NewItem>, at_ms: i64) -> Answer<Vec<u64>> {
        let encoded = |new: NewItem| {
            let message = Encoded::new(&new.message)?;
            Ok((NewItem { run: Some(run.clone()), ..new }, message))
        };
        let items = match items.into_iter().map(encoded).collect::<Result<Vec<_>, StoreError>>() {
            Ok(items) => items,
            Err(error) => return Answer::refused(error),
        };
        let bytes = items.iter().map(|(_, message)| message.json.len()).sum();
        self.change(Durability::PowerSafe, bytes, move |db| unfinished::close_run(db, &run, &items, at_ms))
    }
}

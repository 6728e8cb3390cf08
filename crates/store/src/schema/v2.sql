-- Version 2: the calls of a run, what it has said so far, and which models were asked.

-- The model that really answered, and what of the skills it was told. Empty until that is known.
ALTER TABLE runs ADD COLUMN model TEXT;
ALTER TABLE runs ADD COLUMN skills_version TEXT;

-- The message that the reply is to, and whether the agent chose to say nothing.
ALTER TABLE runs ADD COLUMN reply_to TEXT;
ALTER TABLE runs ADD COLUMN silent INTEGER NOT NULL DEFAULT 0;

-- Whether people see what a model thinks.
ALTER TABLE sessions ADD COLUMN reasoning TEXT;

-- The skills that have had a say in a transcript, in guard's words. Empty while none has.
ALTER TABLE transcripts ADD COLUMN activation TEXT;

-- Models that did not answer, in the order in which they were asked.
CREATE TABLE tried (
  number INTEGER PRIMARY KEY,
  run    TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  model  TEXT NOT NULL,
  reason TEXT NOT NULL
) STRICT;

CREATE INDEX tried_of_run ON tried (run);

-- What the model asked tools to do, in the order in which it did.
CREATE TABLE calls (
  number   INTEGER PRIMARY KEY,
  run      TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  id       TEXT NOT NULL,
  tool     TEXT NOT NULL,
  -- Written before the tool runs: a call that has begun and has no result may have run.
  begun_ms INTEGER,
  ended_ms INTEGER,
  failed   INTEGER,
  UNIQUE (run, id),
  CHECK ((ended_ms IS NULL) = (failed IS NULL))
) STRICT;

-- An answer that is still being said: a row for each piece.
CREATE TABLE drafts (
  number INTEGER PRIMARY KEY,
  run    TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  at_ms  INTEGER NOT NULL,
  text   TEXT NOT NULL
) STRICT;

CREATE INDEX drafts_of_run ON drafts (run);

-- The number of the answer that a request brought; empty when it brought none that is kept.
ALTER TABLE usage ADD COLUMN item INTEGER;

CREATE INDEX usage_of_run ON usage (run);
CREATE INDEX usage_of_session ON usage (session_key);

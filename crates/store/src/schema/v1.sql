-- Version 1. Times are milliseconds since 1970 (UTC).

CREATE TABLE sessions (
  id             INTEGER PRIMARY KEY,
  key            TEXT NOT NULL UNIQUE,
  agent          TEXT NOT NULL,
  -- The transcript that is written now. Deferred, because the two tables name each other.
  transcript     INTEGER NOT NULL REFERENCES transcripts (id) DEFERRABLE INITIALLY DEFERRED,
  label          TEXT,
  model          TEXT,
  thinking_level TEXT,
  exec_host      TEXT,
  exec_security  TEXT,
  exec_ask       TEXT,
  created_ms     INTEGER NOT NULL,
  updated_ms     INTEGER NOT NULL
) STRICT;

CREATE INDEX sessions_by_time ON sessions (updated_ms);
CREATE INDEX sessions_by_agent ON sessions (agent, updated_ms);
-- For the reference: without it, deleting a transcript looks at every session.
CREATE INDEX sessions_of_transcript ON sessions (transcript);

-- One for each session id: a reset begins the next one and keeps those before it.
CREATE TABLE transcripts (
  id         INTEGER PRIMARY KEY,
  session    INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  session_id TEXT NOT NULL UNIQUE,
  begun_ms   INTEGER NOT NULL,
  items      INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX transcripts_of_session ON transcripts (session);

CREATE TABLE runs (
  id         TEXT PRIMARY KEY,
  transcript INTEGER NOT NULL REFERENCES transcripts (id) ON DELETE CASCADE,
  state      TEXT NOT NULL CHECK (state IN ('started', 'finished', 'failed', 'aborted', 'interrupted')),
  started_ms INTEGER NOT NULL,
  ended_ms   INTEGER,
  error      TEXT,
  CHECK ((state = 'started') = (ended_ms IS NULL)),
  CHECK ((state = 'failed') = (error IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX runs_of_transcript ON runs (transcript);
CREATE INDEX runs_going_on ON runs (state) WHERE state = 'started';

-- AUTOINCREMENT: the number of an item that was deleted is not given again.
CREATE TABLE items (
  number     INTEGER PRIMARY KEY AUTOINCREMENT,
  transcript INTEGER NOT NULL REFERENCES transcripts (id) ON DELETE CASCADE,
  run        TEXT,
  speaker    TEXT NOT NULL,
  at_ms      INTEGER NOT NULL,
  message    TEXT NOT NULL
) STRICT;

CREATE INDEX items_of_transcript ON items (transcript);

CREATE TABLE conversations (
  session INTEGER PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
  at_ms   INTEGER NOT NULL,
  state   TEXT NOT NULL
) STRICT;

-- Names its session by key and not by row: what was spent stays spent when a session is deleted.
CREATE TABLE usage (
  id            INTEGER PRIMARY KEY,
  run           TEXT NOT NULL,
  session_key   TEXT NOT NULL,
  agent         TEXT NOT NULL,
  model         TEXT NOT NULL,
  at_ms         INTEGER NOT NULL,
  input         INTEGER NOT NULL,
  output        INTEGER NOT NULL,
  cache_read    INTEGER NOT NULL,
  cache_write   INTEGER NOT NULL,
  -- Billionths of a dollar; empty when the price is not known.
  cost_nano_usd INTEGER
) STRICT;

CREATE INDEX usage_by_time ON usage (at_ms);

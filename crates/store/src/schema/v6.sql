-- Version 6: the files that a run changed, so that its changes can be undone, and the skills that shaped a file.

-- One row for each file of a run, written before the file is. An empty hash stands for a missing file. The contents are
-- files of their own, named by their hashes.
CREATE TABLE file_changes (
  number       INTEGER PRIMARY KEY,
  run          TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  at_ms        INTEGER NOT NULL,
  -- The real path, that of the writable folder around it, and the path as people see it.
  path         TEXT NOT NULL,
  root         TEXT NOT NULL,
  shown        TEXT NOT NULL,
  moved_from   TEXT,
  -- Before the run, before its last change of the file, and after that.
  before_hash  TEXT,
  before_mode  INTEGER,
  prior_hash   TEXT,
  after_hash   TEXT,
  -- Bytes of the kept contents.
  bytes        INTEGER NOT NULL,
  -- Lines, where it is text.
  added        INTEGER,
  removed      INTEGER,
  -- Folders that were created for it.
  folders      INTEGER NOT NULL,
  state        TEXT NOT NULL CHECK (state IN ('possible', 'undone', 'too-large', 'expired', 'changed-meanwhile')),
  UNIQUE (run, path)
) STRICT;

CREATE INDEX file_changes_by_time ON file_changes (at_ms);

-- The community skills that were active when an agent wrote a file that it is steered by, or its memory. They belong to
-- the content: another content of the file has no mark, and the same content has it again.
CREATE TABLE file_marks (
  path       TEXT NOT NULL,
  hash       TEXT NOT NULL,
  -- In guard's words.
  activation TEXT NOT NULL,
  PRIMARY KEY (path, hash)
) STRICT, WITHOUT ROWID;

-- Version 4: the end of the audit log, which is kept in files of its own, so that a log that was cut off is found.

CREATE TABLE audit_anchor (
  id   INTEGER PRIMARY KEY CHECK (id = 1),
  -- As JSON: the number and hash of the newest record, and its place.
  head TEXT NOT NULL
) STRICT;

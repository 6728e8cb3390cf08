-- Version 3: conversations that outgrow a model, and messages that come in the middle of a turn.

-- What a model is told instead of the oldest items of a transcript; the newest row counts. The items stay.
CREATE TABLE summaries (
  number     INTEGER PRIMARY KEY,
  transcript INTEGER NOT NULL REFERENCES transcripts (id) ON DELETE CASCADE,
  at_ms      INTEGER NOT NULL,
  -- The message that opens the first turn of which anything is still told, and the first item of it that is.
  opening    INTEGER NOT NULL,
  first      INTEGER NOT NULL,
  -- The remark about it: what was counted of requests before that is of another conversation.
  remark     INTEGER NOT NULL,
  text       TEXT NOT NULL
) STRICT;

CREATE INDEX summaries_of_transcript ON summaries (transcript);

-- Messages that a turn took in on its way: they are told with its items, after the item that is named.
CREATE TABLE joined (
  item  INTEGER PRIMARY KEY REFERENCES items (number) ON DELETE CASCADE,
  run   TEXT NOT NULL,
  after INTEGER NOT NULL
) STRICT;

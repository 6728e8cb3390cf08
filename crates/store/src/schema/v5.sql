-- Version 5: what a session shows of tool calls.

-- Empty where each front end decides.
ALTER TABLE sessions ADD COLUMN verbose TEXT;

-- the files that are skipped, read as plain text or not parsed completely: a search without hits names
-- them, and would read a row for each file
CREATE INDEX files_unread ON files(repo, path) WHERE coalesce(reason, unparsed) IS NOT NULL;

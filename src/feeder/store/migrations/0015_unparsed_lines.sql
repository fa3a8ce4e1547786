-- lines of a file that its grammar could not parse, as 12-40,55; NULL without any, and in rows of
-- earlier versions until their files are parsed again
ALTER TABLE files ADD COLUMN unparsed TEXT;

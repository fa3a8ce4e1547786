-- trigrams of the last parts of symbols, for names that are misspelt; rowid = docs.seq
CREATE VIRTUAL TABLE names_fts USING fts5(
  name, content='', contentless_delete=1, tokenize='trigram'
);
INSERT INTO names_fts (rowid, name)
SELECT seq, replace(lower(substr(symbol,
  length(rtrim(symbol, replace(symbol, '.', ''))) + 1)), '_', '') FROM docs WHERE symbol IS NOT NULL;
CREATE TRIGGER names_add AFTER INSERT ON docs WHEN new.symbol IS NOT NULL
BEGIN
  INSERT INTO names_fts (rowid, name) VALUES (new.seq, replace(lower(substr(new.symbol,
    length(rtrim(new.symbol, replace(new.symbol, '.', ''))) + 1)), '_', ''));
END;
CREATE TRIGGER names_delete AFTER DELETE ON docs WHEN old.symbol IS NOT NULL
BEGIN DELETE FROM names_fts WHERE rowid = old.seq; END;

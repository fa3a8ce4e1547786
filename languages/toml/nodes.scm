; What is a node in TOML.

; ---- Comments

(comment) @doc

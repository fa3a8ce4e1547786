; What is a node in YAML.

; ---- Comments

(comment) @doc

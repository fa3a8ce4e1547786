; What is a node in JSON.

; ---- Comments

(comment) @doc

; What is a node in XML.

; ---- Comments

(Comment) @doc

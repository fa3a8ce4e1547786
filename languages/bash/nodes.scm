; What is a node in Bash.

; ---- Functions

(function_definition name: (word) @name) @method

; ---- Comments

(comment) @doc

; What is a node in HCL.

; A label of a block, with or without quotes.
$label = [(string_lit) (identifier)]

; ---- Objects

; resource "aws_instance" "web" { … }: the kind says nothing, so the name is aws_instance.web
((config_file
   (body
     (block . (identifier) @_kind . $label @scope . $label @name . (block_start) @body) @object))
 (#eq? @_kind "resource"))

; terraform { … }: a block without labels
(config_file (body (block . (identifier) @name . (block_start) @body) @object))

; variable "size" { … }: one label, then two
(block . (identifier) @scope . $label @name . (block_start) @body) @object
(block . (identifier) @scope . $label @scope . $label @name . (block_start) @body) @object

; ---- Comments

(comment) @doc

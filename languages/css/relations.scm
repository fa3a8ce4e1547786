; What the nodes of CSS import. Names that they use, as of animations, are not captured.

; @import "base.css"; @import url("base.css"); @import url(base.css);
((import_statement
   [
     (string_value) @module
     (call_expression (arguments [(string_value) (plain_value)] @module))
   ])
 (#set! imported "!")
 (#set! prefix "./"))

; What the nodes of SCSS import. The grammar cannot read all uses of mixins, functions and variables,
; so none is captured.

; @use "vars"; @use "mixins" as m; @use "mixins" as *; @forward "base";
((use_statement [(string_value) @module (binary_expression (string_value) @module)])
 (#set! imported "!"))
((forward_statement (string_value) @module) (#set! imported "!"))

; @import "a", "b"; @import url("base.css");
((import_statement
   [
     (string_value) @module
     (ERROR (string_value) @module)
     (call_expression (arguments (string_value) @module))
   ])
 (#set! imported "!"))

; What the nodes of Groovy call, use, inherit and import.

; add(item)
(func (identifier) @calls)

; Any identifier: what it is follows from the text around it.
((unit (identifier) @visible_tokens)
 (#not-match? @visible_tokens
   "^(def|return|import|package|class|interface|trait|enum|extends|implements|static|final|abstract|public|private|protected|void|int|long|boolean|throw|new|assert|if|else|for|in|while|switch|case|try|catch|this|super|it)$"))

; size: 3, the label of an argument
((unit . (identifier) @argument_label .)
 . (arg_spliter) @_colon
 (#eq? @_colon ":")
 (#match? @argument_label "^[a-z]"))

; new Cart(total: 3): a property of the type
((func
   (identifier) @bound
   (arg_block (unit . (identifier) @fields .) . (arg_spliter) @_colon))
 (#eq? @_colon ":")
 (#match? @bound "^[A-Z]"))

; abstract Line total(), double area(): methods without a body
((unit . (identifier) @_type .)
 . (unit . (func . (identifier) @argument_label) .)
 (#match? @_type
   "^([A-Z][A-Za-z0-9_]*|def|void|int|long|short|byte|char|float|double|boolean)$"))

; What declares a variable or a parameter: def item, Item item, for (item in items), item ->
((unit . (identifier) @_type .)
 . (unit . (identifier) @locals .)
 (#match? @_type
   "^([A-Z][A-Za-z0-9_]*|def|var|final|int|long|short|byte|char|boolean|float|double)$")
 (#match? @locals "^[a-z_]"))
((unit . (identifier) @locals .) . (unit (identifier) @_in) (#eq? @_in "in"))
((unit . (identifier) @locals .) . (operators) @_arrow (#eq? @_arrow "->"))
(block) @local_scope

; println item: a call without parentheses
(command .
  (unit . (identifier) @calls .)
  . [(unit) (string) (number)]
  (#match? @calls "^[a-z]")
  (#not-match? @calls
    "^(def|return|import|package|class|interface|trait|enum|static|final|abstract|public|private|protected|void|int|long|boolean|throw|new|assert|if|for|while|switch|try|catch)$"))

; import acme.Store
(command .
  (unit (identifier) @_import)
  . (unit) @imports
  (#eq? @_import "import")
  (#match? @imports "(^|[.])[A-Z][^.]*$"))

; import acme.shop.*, whose `.*` is hidden: a package begins with a small letter
((command . (unit (identifier) @_import) . (unit) @module)
 (#set! imported "*")
 (#eq? @_import "import")
 (#match? @module "(^|[.])[a-z][^.]*$"))

; extends Base
((unit (identifier) @_extends)
 . [(unit (identifier) @inherits .) (block . (unit (identifier) @inherits .))]
 (#eq? @_extends "extends"))

; implements Sender
((unit (identifier) @_implements)
 . [(unit (identifier) @implements .) (block . (unit (identifier) @implements .))]
 (#eq? @_implements "implements"))

; A name with a capital letter is a type, but MAX a constant.
((identifier) @uses (#match? @uses "^[A-Z].*[a-z]"))

; Store store
((unit . (identifier) @bound .)
 . (unit . (identifier) @binds .)
 (#match? @bound "^[A-Z]")
 (#match? @binds "^[a-z]")
 (#not-eq? @binds "extends")
 (#not-eq? @binds "implements"))

; A modifier that says who sees a declaration.
((unit . (identifier) @visibility .) (#any-of? @visibility "public" "private" "protected"))

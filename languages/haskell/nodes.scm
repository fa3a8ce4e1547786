; What is a node in Haskell.

; A name, or an operator in parentheses.
$name = [(variable) @name (prefix_id (_) @name)]

; An equation without arguments, and signatures.
$binding = [
  (bind name: $name match: (match) @body)
  (signature name: $name)
  (signature names: (binding_list . name: $name))
]

; ---- Package

; module Shop.Cart where
(header module: (module) @name) @package

; ---- Types

; data, newtype, type, families and classes
[
  (data_type name: (_) @name ["=" "where"]? @body)
  (newtype name: (_) @name "=" @body)
  (type_synomym name: (_) @name)
  (type_family name: (_) @name)
  (data_family name: (_) @name)
  (class name: (_) @name "where"? @body)
] @type

; instance Show Cart: the class, then the type
(instance
  name: (_) @scope
  patterns: (type_patterns
    [
      (name) @name
      (parens (apply constructor: [(name) @name (apply constructor: (name) @name)]))
    ] .)
  "where"? @body) @type

; instance Show a: the class alone
(instance name: (_) @name "where"? @body) @type

; ---- Functions

; add cart item = …: equations of one name below each other are one node
(function name: $name match: (match) @body) @method @clause

; a <+> b = …, a `add` b = …
(function
  (infix operator: [(operator) @name (infix_id (_) @name)])
  match: (match) @body) @method @clause

; add = …, add :: Cart -> Cart, at the top level, in a class, in an instance
(declarations $binding @method @clause)
(class_declarations $binding @method @clause)
(instance_declarations $binding @method @clause)

; ---- Comments

[(comment) (haddock) (pragma)] @doc

; What is a node in Julia.

; The name of a type: `Cart`, `Cart <: Base`, `Cart{T}`, `Cart{T} <: Base`.
$type_name = [
  (identifier) @name
  (binary_expression . (identifier) @name)
  (parametrized_type_expression . (identifier) @name)
  (binary_expression . (parametrized_type_expression . (identifier) @name))
]

; `:+`, `:(+)`.
$quoted_operator = [(operator) @name (parenthesized_expression (operator) @name)]

; The name of a function: `add`, `Cart{T}`, `+`, `Base.show`, `Base.:+`.
$name = [
  (identifier) @name
  (parametrized_type_expression . (identifier) @name)
  (operator) @name
  (field_expression (identifier) .) @name
  (field_expression value: (_) @scope (quote_expression $quoted_operator))
]

; A signature: `add(a)`, `add(a)::Int`, `add(a) where T`, and both.
$signature = [
  (call_expression . $name)
  (typed_expression . (call_expression . $name))
  (where_expression . (call_expression . $name))
  (where_expression . (typed_expression . (call_expression . $name)))
  (where_expression . (where_expression . (call_expression . $name)))
]

; ---- Types

; module Shop … end
(module_definition name: (_) @name (block)? @body) @type

; struct, abstract type and primitive type
[
  (struct_definition (type_head $type_name) (block)? @body)
  (abstract_definition (type_head $type_name))
  (primitive_definition (type_head $type_name))
] @type

; @enum Color red green
((macrocall_expression
   (macro_identifier (identifier) @_macro)
   (macro_argument_list . (identifier) @name)) @type
 (#eq? @_macro "enum"))

; ---- Functions

; function add(cart, item) … end
(function_definition (signature $signature) (block)? @body) @method

; function add end
(function_definition (signature (identifier) @name)) @method

; macro add(item) … end
(macro_definition (signature (call_expression . $name)) (block)? @body) @method

; add(cart, item) = …
(assignment . $signature (operator) @body) @method

; ---- Calls with a name and a function

; @testset "adds an item" begin … end
((macrocall_expression
   (macro_identifier (identifier) @_macro)
   (macro_argument_list
     (string_literal) @name
     [(compound_statement) (for_statement) (let_statement)] @body)) @call
 (#match? @_macro "^(safe)?test(set|item)$"))

; ---- Members

(struct_definition
  (block
    [
      (identifier) @member
      (typed_expression . (identifier) @member)
      (assignment . [(identifier) @member (typed_expression . (identifier) @member)])
    ]))

; const MAX = 3
(const_statement (assignment . (identifier) @member))

; @enum Color red green
((macrocall_expression
   (macro_identifier (identifier) @_macro)
   (macro_argument_list . (identifier) (identifier) @member))
 (#eq? @_macro "enum"))

; ---- Comments

[(line_comment) (block_comment)] @doc

; A string above a declaration is its documentation.
(source_file (string_literal) @doc)
(module_definition (block (string_literal) @doc))

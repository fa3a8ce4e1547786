; What is a node in Go.

$string = [(interpreted_string_literal) (raw_string_literal)]

; ---- Package

; package shop
(package_clause (package_identifier) @name) @package

; ---- Types

; type Cart struct { … }
(type_spec
  name: (type_identifier) @name
  type: (struct_type (field_declaration_list) @body)) @type

; type Sender interface { … }
(type_spec name: (type_identifier) @name type: (interface_type "{" @body)) @type

; type Price int
(type_spec name: (type_identifier) @name) @type

; type Price = int
(type_alias name: (type_identifier) @name) @type

; ---- Functions

; func New() *Cart
(function_declaration name: (identifier) @name) @method

; func (c *Cart) Add(item Item), also with type parameters
(method_declaration
  receiver: (parameter_list
    (parameter_declaration
      type: [
        (type_identifier) @scope
        (generic_type type: (type_identifier) @scope)
        (pointer_type [(type_identifier) @scope (generic_type type: (type_identifier) @scope)])
      ]))
  name: (field_identifier) @name) @method

; Add(item Item) in an interface
(method_elem name: (field_identifier) @name) @method

; var add = func() { … }
(var_spec
  name: (identifier) @name
  value: (expression_list . (func_literal body: (block) @body) .)) @method

; add := func() { … }
(short_var_declaration
  left: (expression_list . (identifier) @name .)
  right: (expression_list . (func_literal body: (block) @body) .)) @method

; ---- Calls with a name and a function

; t.Run("adds an item", func(t *testing.T) { … })
(expression_statement
  (call_expression arguments: (argument_list . $string @name (func_literal body: (_) @body)))) @call

; var _ = Describe("cart", func() { … })
(var_spec
  name: (identifier) @_nothing
  value: (expression_list
    (call_expression arguments: (argument_list . $string @name (func_literal body: (_) @body))))
  (#eq? @_nothing "_")) @call

; ---- Members

(field_declaration name: (field_identifier) @member)

; Constants and variables of the package.
(source_file
  [
    (const_declaration (const_spec name: (identifier) @member))
    (var_declaration (var_spec name: (identifier) @member))
    (var_declaration (var_spec_list (var_spec name: (identifier) @member)))
  ])

; ---- Functions and objects without a name

(func_literal) @closure

; ---- Comments

(comment) @doc

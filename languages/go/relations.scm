; What the nodes of Go call, use, inherit and import.

; `Store`, `shop.Store`.
$bound = [(type_identifier) @bound (qualified_type name: (type_identifier) @bound)]

; The same, also as `*Store`.
$bound_or_pointer = [(type_identifier) @bound (pointer_type $bound) (qualified_type name: (type_identifier) @bound)]

; add(item)
(call_expression function: (identifier) @calls)

; add[int](item)
(call_expression function: (type_instantiation_expression type: (type_identifier) @calls))

; An embedded field: Base, *Base, shop.Base, Base[T].
(field_declaration !name
  type: [
    (type_identifier) @inherits
    (pointer_type (type_identifier) @inherits)
    (qualified_type name: (type_identifier) @inherits)
    (generic_type type: (type_identifier) @inherits)
  ])

; An embedded interface: Reader, io.Reader.
(interface_type (type_elem . (type_identifier) @inherits .))
(interface_type (type_elem . (qualified_type name: (type_identifier) @inherits) .))

; A type by its name, and one of another package.
(type_identifier) @uses
(qualified_type name: (type_identifier) @uses)

; Line{item}, shop.Line{item}
(composite_literal
  type: [(type_identifier) @calls (generic_type type: (type_identifier) @calls)])
(composite_literal type: (qualified_type name: (type_identifier) @calls))

; c.store, fmt.Println
(selector_expression) @accesses

; A name alone, where it is read.
[
  (argument_list (identifier) @visible)
  (expression_list (identifier) @visible)
  (binary_expression (identifier) @visible)
  (literal_element (identifier) @visible)
  (unary_expression (identifier) @visible)
  (index_expression (identifier) @visible)
  (slice_expression (identifier) @visible)
  (parenthesized_expression (identifier) @visible)
  (range_clause right: (identifier) @visible)
  (send_statement (identifier) @visible)
  (inc_statement (identifier) @visible)
  (dec_statement (identifier) @visible)
  (if_statement condition: (identifier) @visible)
  (for_clause condition: (identifier) @visible)
  (for_statement (identifier) @visible)
  (expression_switch_statement value: (identifier) @visible)
  (type_conversion_expression operand: (identifier) @visible)
  (array_type length: (identifier) @visible)
  (variadic_argument (identifier) @visible)
  (type_assertion_expression operand: (identifier) @visible)
  (type_switch_statement value: (identifier) @visible)
]

; Cart{size: 3}, []Cart{{size: 3}}: a field, or the key of a map whose type has a name
(composite_literal
  type: [(type_identifier) (qualified_type) (generic_type) (struct_type)]
  body: (literal_value (keyed_element . (literal_element (identifier) @key))))
(literal_element
  (literal_value (keyed_element . (literal_element (identifier) @key))))

; What declares a variable or a parameter, and where it ends.
[
  (parameter_declaration name: (identifier) @locals)
  (variadic_parameter_declaration name: (identifier) @locals)
  (short_var_declaration left: (expression_list (identifier) @locals))
  (var_spec name: (identifier) @locals)
  (const_spec name: (identifier) @locals)
  (range_clause left: (expression_list (identifier) @locals))
  (receive_statement left: (expression_list (identifier) @locals))
  (type_switch_statement alias: (expression_list (identifier) @locals))
]
[
  (function_declaration)
  (method_declaration)
  (func_literal)
  (block)
  (if_statement)
  (for_statement)
  (expression_switch_statement)
  (type_switch_statement)
  (expression_case)
  (default_case)
  (type_case)
  (communication_case)
] @local_scope

; import . "acme/mail"
(import_spec
  name: (dot)
  path: (interpreted_string_literal (interpreted_string_literal_content) @module)
  (#set! imported "*"))

; import "acme/mail", import m "acme/mail"
(import_spec
  name: (package_identifier)? @alias
  path: (interpreted_string_literal (interpreted_string_literal_content) @module))

; The receiver: (c *Cart), (c *Cart[T]).
(method_declaration
  receiver: (parameter_list
    (parameter_declaration
      name: (identifier) @binds
      type: [
        (type_identifier) @bound
        (pointer_type (type_identifier) @bound)
        (generic_type type: (type_identifier) @bound)
        (pointer_type (generic_type type: (type_identifier) @bound))
      ])))

; A parameter with its type.
(parameter_declaration name: (identifier) @parameter type: $bound_or_pointer)

; store := &Store{}, Store{}, value.(*Store)
(short_var_declaration
  left: (expression_list . (identifier) @binds)
  right: (expression_list .
    [
      (unary_expression operand: (composite_literal type: $bound))
      (composite_literal type: $bound)
      (type_assertion_expression
        type: [
          (type_identifier) @bound
          (qualified_type name: (type_identifier) @bound)
          (pointer_type $bound)
        ])
    ]))

; A parameter of a function without a name.
(func_literal
  parameters: (parameter_list
    (parameter_declaration name: (identifier) @binds type: $bound_or_pointer)))

; store := NewStore(): the type is the result of the function
(short_var_declaration
  left: (expression_list . (identifier) @binds)
  right: (expression_list .
    (call_expression function: [(identifier) (selector_expression operand: (identifier))] @made))
  (#not-match? @binds "^(err|_)$"))

; var store Store, then a field.
(var_spec name: (identifier) @binds type: $bound_or_pointer)
(field_declaration name: (field_identifier) @binds type: $bound_or_pointer)

; func New() (*Cart, error): the first result
(_
  result: [
    (type_identifier) @returns
    (pointer_type (type_identifier) @returns)
    (parameter_list
      (parameter_declaration
        type: [(type_identifier) @returns (pointer_type (type_identifier) @returns)]))
    (qualified_type name: (type_identifier) @returns)
  ])

; What the nodes of Swift call, use, inherit and import.

$type = [(user_type) (optional_type)]

; add(item), add { … }; items[0] is no call, though the grammar has it as one
(call_expression . (simple_identifier) @calls (call_suffix (value_arguments "(")))
(call_expression . (simple_identifier) @calls (call_suffix . (lambda_literal)))

; [Item](), Item<Int>()
(constructor_expression constructed_type: (user_type (type_identifier) @calls))

; Any identifier: what it is follows from the text around it.
(simple_identifier) @visible_tokens

; size: 3, the label of an argument
(value_argument_label (simple_identifier) @argument_label)
(parameter external_name: (simple_identifier) @argument_label)

; Cart(size: 3): fields of the type
(call_expression
  . (simple_identifier) @bound
  (call_suffix
    (value_arguments (value_argument name: (value_argument_label (simple_identifier) @fields))))
  (#match? @bound "^[A-Z]"))

; What declares a variable or a parameter, and where it ends. `if let cart {` is no declaration
; here: the name is that of what is outside, also in the block.
[
  (parameter name: (simple_identifier) @locals)
  (lambda_parameter name: (simple_identifier) @locals)
  (pattern bound_identifier: (simple_identifier) @locals)
  (if_statement bound_identifier: (simple_identifier) @locals . ["=" (type_annotation)])
  (guard_statement bound_identifier: (simple_identifier) @locals . ["=" (type_annotation)])
  (while_statement bound_identifier: (simple_identifier) @locals . ["=" (type_annotation)])
  (pattern (pattern (simple_identifier) @locals))
  (computed_setter (simple_identifier) @locals)
]
[
  (function_declaration)
  (init_declaration)
  (subscript_declaration)
  (lambda_literal)
  (statements)
  (for_statement)
  (if_statement)
  (while_statement)
  (switch_entry)
  (catch_block)
  (computed_setter)
] @local_scope

; class Cart: Base, Base<T>
(inheritance_specifier inherits_from: (user_type (type_identifier) @inherits .))
(inheritance_specifier
  inherits_from: (user_type (type_identifier) @inherits . (type_arguments)))

; extension Cart { … }: the type has its declaration elsewhere
(class_declaration "extension" name: (user_type (type_identifier) @extends .))

; A type by its name, wherever it stands.
(type_identifier) @uses

; import Stock
(import_declaration (identifier) @module)

; store: Store as a parameter, a property of a protocol, a property.
(parameter name: (simple_identifier) @parameter $type @bound)
(protocol_property_declaration
  name: (pattern bound_identifier: (simple_identifier) @binds)
  (type_annotation $type @bound))
(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @binds)
  (type_annotation $type @bound))

; let store = Store(), let store = unsafe Store()
(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @binds)
  value: [
    (call_expression . (simple_identifier) @constructed)
    (unsafe_expression expr: (call_expression . (simple_identifier) @constructed))
  ])

; func add() -> Line
(function_declaration $type @returns)

; A modifier that says who sees a declaration.
(visibility_modifier) @visibility

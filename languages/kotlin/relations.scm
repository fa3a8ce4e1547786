; What the nodes of Kotlin call, use, inherit and import.

; A declared type, with or without `?`.
$bound = [(user_type (type_identifier) @bound) (nullable_type (user_type (type_identifier) @bound))]

; add(item)
(call_expression . (simple_identifier) @calls)

; cart.also { … }: a call without parentheses
(call_expression .
  (navigation_expression (navigation_suffix (simple_identifier) @calls))
  . (call_suffix . (annotated_lambda)))

; ::add
(callable_reference (simple_identifier) @calls .)

; a to b: an infix call
(infix_expression (_) . (simple_identifier) @calls . (_))

; : Base()
(delegation_specifier
  [
    (constructor_invocation (user_type (type_identifier) @inherits .))
    (constructor_invocation (user_type (type_identifier) @inherits . (type_arguments)))
  ])

; : Sender, : Sender<T>, : Sender by other
(delegation_specifier
  [
    (user_type (type_identifier) @implements .)
    (user_type (type_identifier) @implements . (type_arguments))
    (explicit_delegation (user_type (type_identifier) @implements))
  ])

; A type by its name, wherever it stands.
(type_identifier) @uses

; store.put, also on the left of an assignment
[
  (navigation_expression (navigation_suffix (simple_identifier)))
  (directly_assignable_expression (navigation_suffix (simple_identifier)))
] @accesses

; A name alone, where it is read.
[
  (value_argument (simple_identifier) @mentions .)
  (jump_expression (simple_identifier) @mentions)
  (property_declaration (simple_identifier) @mentions)
  (assignment (simple_identifier) @mentions)
  (elvis_expression (simple_identifier) @mentions)
  (equality_expression (simple_identifier) @mentions)
  (function_body (simple_identifier) @mentions)
  (statements (simple_identifier) @mentions)
  (control_structure_body (simple_identifier) @mentions)
  (indexing_expression (simple_identifier) @mentions)
]

; import acme.Store, import acme.Store as Shelf
(import_header (identifier) @imports . (import_alias (type_identifier) @alias)?)

; import acme.*
(import_header (identifier) @module (wildcard_import) (#set! imported "*"))

; Parameters of functions and of primary constructors, with their types.
[
  (parameter (simple_identifier) @parameter $bound)
  (class_parameter (simple_identifier) @parameter $bound)
]

; val store: Store
(variable_declaration (simple_identifier) @binds $bound)

; val store = Store(): what is constructed gives the type
(property_declaration
  (variable_declaration (simple_identifier) @binds)
  (call_expression . (simple_identifier) @constructed (call_suffix (value_arguments))))

; fun add(): Line
(function_declaration
  (function_value_parameters)
  . [
    (user_type (type_identifier) @returns)
    (nullable_type (user_type (type_identifier) @returns))
  ])

; A modifier that says who sees a declaration.
[
  (class_declaration (modifiers (visibility_modifier) @visibility))
  (object_declaration (modifiers (visibility_modifier) @visibility))
  (function_declaration (modifiers (visibility_modifier) @visibility))
  (property_declaration (modifiers (visibility_modifier) @visibility))
  (secondary_constructor (modifiers (visibility_modifier) @visibility))
  (type_alias (modifiers (visibility_modifier) @visibility))
]

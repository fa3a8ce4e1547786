; What the nodes of Kotlin call, use, inherit and import.

; A declared type, with or without `?`.
$bound = [(user_type (type_identifier) @bound) (nullable_type (user_type (type_identifier) @bound))]

; add(item)
(call_expression . (simple_identifier) @calls)

; cart.also { … }: a call without parentheses
(call_expression .
  (navigation_expression (navigation_suffix (simple_identifier) @calls))
  . (call_suffix . (annotated_lambda)))

; ::add, this::add
(callable_reference (simple_identifier) @calls .)
(navigation_suffix "::" (simple_identifier) @calls)

; a to b: an infix call
(infix_expression (_) . (simple_identifier) @calls . (_))

; : Base()
$inherited = (delegation_specifier
  [
    (constructor_invocation (user_type (type_identifier) @inherits .))
    (constructor_invocation (user_type (type_identifier) @inherits . (type_arguments)))
  ])
[
  (class_declaration $inherited)
  (object_declaration $inherited)
  (companion_object $inherited)
  (property_declaration (object_literal $inherited))
]

; : Sender, : Sender<T>, : Sender by other
$implemented = (delegation_specifier
  [
    (user_type (type_identifier) @implements .)
    (user_type (type_identifier) @implements . (type_arguments))
    (explicit_delegation (user_type (type_identifier) @implements))
  ])
[
  (class_declaration $implemented)
  (object_declaration $implemented)
  (companion_object $implemented)
  (property_declaration (object_literal $implemented))
]

; object : Sender { … }: an object without a name
(object_literal
  (delegation_specifier
    [
      (constructor_invocation (user_type (type_identifier) @unnamed .))
      (constructor_invocation (user_type (type_identifier) @unnamed . (type_arguments)))
      (user_type (type_identifier) @unnamed .)
      (user_type (type_identifier) @unnamed . (type_arguments))
      (explicit_delegation (user_type (type_identifier) @unnamed))
    ]))

; object : Sender { override fun send() { … } }: members of an object without a name
(object_literal
  (delegation_specifier
    [
      (constructor_invocation (user_type (type_identifier) @bound .))
      (constructor_invocation (user_type (type_identifier) @bound . (type_arguments)))
      (user_type (type_identifier) @bound .)
      (user_type (type_identifier) @bound . (type_arguments))
    ])
  (class_body
    [
      (function_declaration (modifiers) (simple_identifier) @overrides)
      (property_declaration
        (modifiers)
        (variable_declaration (simple_identifier) @overrides))
    ]))

; RED { override fun … }: an entry with a class of its own below the enum
(class_declaration
  (type_identifier) @bound
  (enum_class_body (enum_entry (class_body)) @variant))

; A type by its name, wherever it stands.
(type_identifier) @uses

; store.put, also on the left of an assignment
[
  (navigation_expression (navigation_suffix (simple_identifier)))
  (directly_assignable_expression (navigation_suffix (simple_identifier)))
] @accesses

; A name alone, where it is read or set.
[
  (navigation_expression . (simple_identifier) @visible)
  (value_argument (simple_identifier) @visible .)
  (directly_assignable_expression (simple_identifier) @visible)
  (jump_expression (simple_identifier) @visible)
  (property_declaration (simple_identifier) @visible)
  (assignment (simple_identifier) @visible)
  (elvis_expression (simple_identifier) @visible)
  (equality_expression (simple_identifier) @visible)
  (comparison_expression (simple_identifier) @visible)
  (additive_expression (simple_identifier) @visible)
  (multiplicative_expression (simple_identifier) @visible)
  (conjunction_expression (simple_identifier) @visible)
  (disjunction_expression (simple_identifier) @visible)
  (range_expression (simple_identifier) @visible)
  (check_expression (simple_identifier) @visible)
  (as_expression (simple_identifier) @visible)
  (spread_expression (simple_identifier) @visible)
  (prefix_expression (simple_identifier) @visible)
  (postfix_expression (simple_identifier) @visible)
  (infix_expression (simple_identifier) @visible)
  (function_body (simple_identifier) @visible)
  (statements (simple_identifier) @visible)
  (control_structure_body (simple_identifier) @visible)
  (if_expression (simple_identifier) @visible)
  (when_subject (simple_identifier) @visible)
  (when_condition (simple_identifier) @visible)
  (while_statement (simple_identifier) @visible)
  (for_statement (simple_identifier) @visible)
  (indexing_expression (simple_identifier) @visible)
  (indexing_suffix (simple_identifier) @visible)
  (parenthesized_expression (simple_identifier) @visible)
  (interpolated_expression (simple_identifier) @visible)
  (class_parameter (simple_identifier) (simple_identifier) @visible)
  (explicit_delegation (simple_identifier) @visible)
]
(interpolated_identifier) @visible

; What declares a variable or a parameter, and where it ends.
[
  (parameter . (simple_identifier) @locals)
  (parameter_with_optional_type . (simple_identifier) @locals)
  (variable_declaration . (simple_identifier) @locals)
  (catch_block . (simple_identifier) @locals)
]
[
  (function_declaration)
  (secondary_constructor)
  (anonymous_function)
  (lambda_literal)
  (for_statement)
  (when_expression)
  (catch_block)
  (setter)
] @local_scope

; import acme.Store, import acme.Store as Shelf
(import_header (identifier) @imports . (import_alias (type_identifier) @alias)?)

; import acme.*
(import_header (identifier) @module (wildcard_import) (#set! imported "*"))

; Parameters of functions and of primary constructors, with their types.
[
  (parameter (simple_identifier) @parameter $bound)
  (class_parameter (simple_identifier) @parameter $bound)
]

; Cart(size = 3), cart.copy(size = 4): fields of the type
(call_expression
  . (simple_identifier) @bound
  (call_suffix (value_arguments (value_argument . (simple_identifier) @fields . "=")))
  (#match? @bound "^[A-Z]"))
(call_expression
  (navigation_expression (navigation_suffix (simple_identifier) @_copy))
  (call_suffix (value_arguments (value_argument . (simple_identifier) @key . "=")))
  (#eq? @_copy "copy"))

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

; The type in import shop.Cart.open, import shop.Cart.*
(import_header (identifier (simple_identifier) @owner (simple_identifier)))
(import_header (identifier (simple_identifier) @owner .) (wildcard_import))

; constructor(size: Int) : super(size)
(constructor_delegation_call "super" @calls)

; value, a line end, then `as Cart` or `as shop.Cart`: the grammar reads `as` as a name
((infix_expression . (simple_identifier) @_as (simple_identifier) @uses) (#eq? @_as "as"))
((simple_identifier) @_as . (ERROR (simple_identifier) @uses) (#eq? @_as "as"))

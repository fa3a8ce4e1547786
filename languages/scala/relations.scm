; What the nodes of Scala call, use, inherit and import.

$bound = [(type_identifier) @bound (generic_type type: (type_identifier) @bound)]

; add(item), add[Int](item), store.put(item)
(call_expression
  function: [
    (identifier) @calls
    (generic_function
      function: [(identifier) @calls (field_expression field: (identifier) @calls)])
    (field_expression field: (identifier) @calls)
  ])
(generic_function function: (identifier) @calls)
; item *> store.put[Int](item), of which the grammar makes a call of `item *> store.put`
(generic_function
  function: (infix_expression right: [(identifier) @calls (field_expression field: (identifier) @calls)]))

; new Line(item), new Line(item) with Counting
(instance_expression .
  [
    (type_identifier) @calls
    (generic_type type: (type_identifier) @calls)
    (stable_type_identifier (type_identifier) @calls)
    (generic_type type: (stable_type_identifier (type_identifier) @calls))
    (compound_type (applied_constructor_type (type_identifier) @calls))
    (compound_type (applied_constructor_type (generic_type type: (type_identifier) @calls)))
  ])

; cart add item
(infix_expression operator: (identifier) @calls)

; store.size, then Color.Red in a pattern
[(field_expression) (stable_identifier)] @accesses

; case Color.Mix(left, right)
(case_class_pattern type: (stable_type_identifier (type_identifier) @calls .))

; Any identifier: what it is follows from the text around it.
(identifier) @visible

; size = 3, the label of an argument
(arguments (assignment_expression left: (identifier) @argument_label))

; Cart(size = 3), new Cart(size = 3), cart.copy(size = 4): fields of the type
(call_expression
  function: (identifier) @bound
  arguments: (arguments (assignment_expression left: (identifier) @fields))
  (#match? @bound "^[A-Z]"))
(instance_expression
  [(type_identifier) @bound (stable_type_identifier (type_identifier) @bound)]
  arguments: (arguments (assignment_expression left: (identifier) @fields)))
(call_expression
  function: (field_expression field: (identifier) @_copy)
  arguments: (arguments (assignment_expression left: (identifier) @fields))
  (#eq? @_copy "copy"))

; package acme.shop, s"…"
[
  (package_identifier (identifier) @argument_label)
  (interpolated_string_expression interpolator: (identifier) @argument_label)
]

; What declares a variable or a parameter, and where it ends.
[
  (parameter name: (identifier) @locals)
  (binding name: (identifier) @locals)
  (lambda_expression parameters: (identifier) @locals)
  (val_definition pattern: (identifier) @locals)
  (var_definition pattern: (identifier) @locals)
  (tuple_pattern (identifier) @locals)
  (enumerator . (identifier) @locals)
  (typed_pattern pattern: (identifier) @locals)
  (capture_pattern name: (identifier) @locals)
]
((case_clause pattern: (identifier) @locals) (#match? @locals "^[a-z]"))
((case_class_pattern pattern: (identifier) @locals) (#match? @locals "^[a-z]"))
[
  (function_definition)
  (lambda_expression)
  (block)
  (for_expression)
  (case_clause)
] @local_scope

; extends Base with Sender
(extends_clause
  type: [
    (type_identifier) @inherits
    (generic_type
      type: [(type_identifier) @inherits (stable_type_identifier (type_identifier) @inherits)])
    (stable_type_identifier (type_identifier) @inherits)
  ])
(extends_clause (generic_type type: (type_identifier) @inherits))
(given_definition
  return_type: [(type_identifier) @inherits (generic_type type: (type_identifier) @inherits)]
  body: (with_template_body))

; given Show[Item] with …: a given without a name has that of its type, which is a use too
(given_definition
  !name
  return_type: [(type_identifier) @extends (generic_type type: (type_identifier) @extends)])

; new Sender { … }: a class without a name, or a node with the name of its value
$constructed = [
  (type_identifier) @unnamed
  (generic_type type: (type_identifier) @unnamed)
  (generic_type type: (stable_type_identifier (type_identifier) @unnamed .))
  (stable_type_identifier (type_identifier) @unnamed .)
  (compound_type (type_identifier) @unnamed)
  (compound_type (generic_type type: (type_identifier) @unnamed))
  (compound_type (stable_type_identifier (type_identifier) @unnamed .))
  (compound_type (applied_constructor_type (type_identifier) @unnamed))
  (compound_type (applied_constructor_type (generic_type type: (type_identifier) @unnamed)))
]
(instance_expression $constructed (template_body))

; new Sender { def send() = … }: members of a class without a name
(instance_expression
  [
    (type_identifier) @bound
    (generic_type type: (type_identifier) @bound)
    (compound_type (type_identifier) @bound)
    (compound_type (generic_type type: (type_identifier) @bound))
  ]
  (template_body
    [(function_definition name: (identifier) @overrides) (val_definition (identifier) @overrides)]))
(val_definition
  value: (instance_expression
    [
      (type_identifier) @inherits
      (generic_type type: (type_identifier) @inherits)
      (generic_type type: (stable_type_identifier (type_identifier) @inherits .))
      (stable_type_identifier (type_identifier) @inherits .)
      (compound_type (type_identifier) @inherits)
      (compound_type (generic_type type: (type_identifier) @inherits))
      (compound_type (stable_type_identifier (type_identifier) @inherits .))
      (compound_type (applied_constructor_type (type_identifier) @inherits))
      (compound_type (applied_constructor_type (generic_type type: (type_identifier) @inherits)))
    ]
    (template_body)))

; A type by its name, wherever it stands.
(type_identifier) @uses

; @tailrec
(annotation name: (type_identifier) @uses)

; store: Store as a parameter, of a class, a value, a variable.
(parameter name: (identifier) @parameter type: $bound)
(class_parameter name: (identifier) @binds type: $bound)
(val_definition pattern: (identifier) @binds type: $bound)
(var_definition pattern: (identifier) @binds type: $bound)

; val store = new Store
(val_definition pattern: (identifier) @binds value: (instance_expression . $bound))

; def add(): Line
(function_definition
  return_type: [
    (type_identifier) @returns
    (generic_type
      type: (type_identifier) @returns
      type_arguments: (type_arguments (type_identifier)? @returns))
  ])

; A modifier that says who sees a declaration.
(access_modifier) @visibility

; import acme.shop.{Store, Item => Thing, Line as Row}
(import_declaration .
  (identifier) @module
  (identifier)* @module
  . (namespace_selectors
    [
      (identifier) @imports
      (arrow_renamed_identifier name: (identifier) @imports alias: (identifier) @alias)
      (as_renamed_identifier name: (identifier) @imports alias: (identifier) @alias)
    ]))

; import acme.shop.Store
(import_declaration . (identifier) @imports (identifier) @imports .)

; import acme.shop._, import acme.shop.{Store as Row, *}
(import_declaration .
  (identifier) @module
  (identifier)* @module
  . [(namespace_wildcard) (namespace_selectors (namespace_wildcard))]
  (#set! imported "*"))

; The type in import shop.Cart.open, import shop.Cart.{open => start}, import shop.Cart._
(import_declaration (identifier) @owner (identifier))
(import_declaration (identifier) @owner . [(namespace_selectors) (namespace_wildcard)])

; extension (cart: Cart): the type has its declaration elsewhere
(extension_definition
  parameters: (parameters
    (parameter
      type: [(type_identifier) @extends (generic_type type: (type_identifier) @extends)])))

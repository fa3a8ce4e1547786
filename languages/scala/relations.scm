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

; new Line(item)
(instance_expression .
  [
    (type_identifier) @calls
    (generic_type type: (type_identifier) @calls)
    (stable_type_identifier (type_identifier) @calls)
  ])

; cart add item
(infix_expression operator: (identifier) @calls)

; store.size
(field_expression) @accesses

; A name alone, where it is read.
[
  (arguments (identifier) @mentions)
  (val_definition value: (identifier) @mentions)
  (assignment_expression right: (identifier) @mentions)
  (infix_expression (identifier) @mentions)
  (block (identifier) @mentions)
  (function_definition body: (identifier) @mentions)
  (case_clause body: (identifier) @mentions)
  (case_class_pattern type: (type_identifier) @mentions)
  (field_expression value: (identifier) @mentions)
  (tuple_expression (identifier) @mentions)
  (if_expression (identifier) @mentions)
  (case_clause pattern: (identifier) @mentions)
]

; extends Base with Sender
(extends_clause
  type: [
    (type_identifier) @inherits
    (generic_type
      type: [(type_identifier) @inherits (stable_type_identifier (type_identifier) @inherits)])
    (stable_type_identifier (type_identifier) @inherits)
  ])
(extends_clause (generic_type type: (type_identifier) @inherits))

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

; import acme.shop._
(import_declaration .
  (identifier) @module
  (identifier)* @module
  . (namespace_wildcard)
  (#set! imported "*"))

; What the nodes of TypeScript call, use, inherit and import.

include "../ecmascript/relations.scm"

; A declared type: `Store`, `List<Store>`, `shop.Store`.
$bound = [
  (type_identifier) @bound
  (generic_type name: (type_identifier) @bound)
  (nested_type_identifier name: (type_identifier) @bound)
]

; function add(): names that refer to nothing
[
  (function_declaration name: (identifier) @argument_label)
  (generator_function_declaration name: (identifier) @argument_label)
  (function_expression name: (identifier) @argument_label)
  (internal_module name: (identifier) @argument_label)
  (index_signature name: (identifier) @argument_label)
]

; What declares a variable or a parameter.
[
  (variable_declarator name: (identifier) @locals)
  (shorthand_property_identifier_pattern) @locals
  (array_pattern (identifier) @locals)
  (pair_pattern value: (identifier) @locals)
  (required_parameter pattern: (identifier) @locals)
  (assignment_pattern left: (identifier) @locals)
  (rest_pattern (identifier) @locals)
  (optional_parameter pattern: (identifier) @locals)
  (arrow_function parameter: (identifier) @locals)
  (catch_clause parameter: (identifier) @locals)
  (for_in_statement left: (identifier) @locals)
]

; { size, total: 0, put() {} }: fields of a type; `size` is a variable too
(shorthand_property_identifier) @shorthand
(pair key: (property_identifier) @key)
(object (method_definition name: (property_identifier) @key))

; const cart: Cart = { size, total: 0 }
(variable_declarator
  type: (type_annotation $bound)
  value: (object
    [
      (shorthand_property_identifier) @fields
      (pair key: (property_identifier) @fields)
      (method_definition name: (property_identifier) @fields)
    ]))

; { size, total: 0 } as Cart, { size, total: 0 } satisfies Cart
[
  (as_expression
    (object
      [
        (shorthand_property_identifier) @fields
        (pair key: (property_identifier) @fields)
        (method_definition name: (property_identifier) @fields)
      ])
    $bound)
  (satisfies_expression
    (object
      [
        (shorthand_property_identifier) @fields
        (pair key: (property_identifier) @fields)
        (method_definition name: (property_identifier) @fields)
      ])
    $bound)
]

; function show({ size, total: sum }: Cart), const { size }: Cart = cart
(_
  pattern: (object_pattern
    [
      (shorthand_property_identifier_pattern) @unpacked
      (pair_pattern key: (property_identifier) @unpacked)
    ])
  type: (type_annotation $bound))
(variable_declarator
  name: (object_pattern
    [
      (shorthand_property_identifier_pattern) @unpacked
      (pair_pattern key: (property_identifier) @unpacked)
    ])
  type: (type_annotation $bound))

; Cart["total"] as a type
(lookup_type (type_identifier) @bound (literal_type (string (string_fragment) @unpacked)))

; import store = require("./store")
(import_statement
  (import_require_clause (identifier) @alias source: (_ (string_fragment) @module)))

; class Cart extends Base, extends shop.Base, extends mixin(Base)
(extends_clause value: (identifier) @inherits)
(extends_clause value: (member_expression property: (property_identifier) @inherits))
(extends_clause value: (call_expression arguments: (_ (identifier) @inherits)))

; interface Cart extends Base, Base<T>, shop.Base
(extends_type_clause
  type: [(type_identifier) @inherits (generic_type name: (type_identifier) @inherits)])
(extends_type_clause
  type: [
    (nested_type_identifier name: (type_identifier) @inherits)
    (generic_type name: (nested_type_identifier name: (type_identifier) @inherits))
  ])

; implements Sender, Sender<T>, shop.Sender
(implements_clause
  [(type_identifier) @implements (generic_type name: (type_identifier) @implements)])
(implements_clause
  [
    (nested_type_identifier name: (type_identifier) @implements)
    (generic_type name: (nested_type_identifier name: (type_identifier) @implements))
  ])

; A type by its name, wherever it stands.
(type_identifier) @uses

; shop.Line as a type
(nested_type_identifier
  module: [(identifier) @uses (nested_identifier object: (identifier) @uses)]
  name: (type_identifier) @uses)

; @component, @component({ … })
(decorator [(identifier) @calls (call_expression function: (identifier) @calls)])

; store: Store as a parameter, which may be without a type
(required_parameter pattern: (identifier) @parameter type: (type_annotation $bound)?)
(optional_parameter pattern: (identifier) @parameter type: (type_annotation $bound)?)

; let store: Store, then as a field
(variable_declarator name: (identifier) @binds type: (type_annotation $bound))
(public_field_definition name: (property_identifier) @binds type: (type_annotation $bound))

; store = new Store() in a class
(public_field_definition
  name: (_) @binds
  value: (new_expression constructor: (identifier) @bound))

; store: Store in an interface
(property_signature name: (property_identifier) @binds type: (type_annotation $bound))

; add(): Line, Promise<Line>, shop.Line, Line[]
(_
  return_type: (type_annotation
    [
      (type_identifier) @returns
      (generic_type name: (type_identifier) @returns)
      (nested_type_identifier name: (type_identifier) @returns)
      (array_type (type_identifier) @returns)
    ]))

; private, protected, public
(accessibility_modifier) @visibility

; declare module "./store" { … }
((module name: (string (string_fragment) @module))
 (#set! imported "!")
 (#match? @module "^[.]"))

; What the nodes of TypeScript call, use, inherit and import.

; What `new` constructs: `Store`, `shop.Store`.
$constructed = [(identifier) @bound (member_expression property: (property_identifier) @bound)]

; A declared type: `Store`, `List<Store>`, `shop.Store`.
$bound = [
  (type_identifier) @bound
  (generic_type name: (type_identifier) @bound)
  (nested_type_identifier name: (type_identifier) @bound)
]

; add(item)
(call_expression function: (identifier) @calls)

; new Line(item), new shop.Line(item)
(new_expression constructor: (identifier) @calls)
(new_expression constructor: (member_expression property: (property_identifier) @calls))

; store.size, store.put(item)
(member_expression) @accesses

; Any identifier: what it is follows from the text around it.
[(identifier) (shorthand_property_identifier)] @mentions

; function add(): names that refer to nothing
[
  (function_declaration name: (identifier) @argument_label)
  (generator_function_declaration name: (identifier) @argument_label)
  (function_expression name: (identifier) @argument_label)
  (internal_module name: (identifier) @argument_label)
  (index_signature name: (identifier) @argument_label)
]

; What declares a variable or a parameter, and where it ends.
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
[
  (function_declaration)
  (function_expression)
  (generator_function)
  (generator_function_declaration)
  (arrow_function)
  (method_definition)
  (statement_block)
  (for_statement)
  (for_in_statement)
  (catch_clause)
] @local_scope

; import Store from "./store"
(import_statement
  (import_clause (identifier) @alias)
  source: (string (string_fragment) @module)
  (#set! imported "default"))

; import { Store as Shelf } from "./store"
(import_statement
  (import_clause
    (named_imports (import_specifier name: (_) @imports alias: (identifier)? @alias)))
  source: (string (string_fragment) @module))

; import * as store from "./store"
(import_statement
  (import_clause (namespace_import (identifier) @alias))
  source: (string (string_fragment) @module))

; export { Store as Shelf } from "./store"
(export_statement
  (export_clause (export_specifier name: (_) @imports alias: (_)? @alias))
  source: (string (string_fragment) @module))

; export * from "./store"
(export_statement .
  ["export" "*"]
  . "*"?
  . source: (string (string_fragment) @module)
  (#set! imported "*"))

; export { Store as Shelf }, export { Store as default }
(export_statement
  (export_clause (export_specifier name: (_) @exports alias: (_) @alias))
  !source)

; export default class Store { … }, export default function add() { … }
(export_statement "default"
  declaration: (_ name: (_) @exports)
  (#set! exported "default"))

; export default Store
(export_statement "default" value: (identifier) @exports (#set! exported "default"))

; module.exports = Store
(assignment_expression
  left: (member_expression) @_left
  right: (identifier) @exports
  (#set! exported "")
  (#eq? @_left "module.exports"))

; module.exports = { Store: Shelf }
(assignment_expression
  left: (member_expression) @_left
  right: (object (pair key: (property_identifier) @alias value: (identifier) @exports))
  (#eq? @_left "module.exports"))

; exports.Shelf = Store, module.exports.Shelf = Store
(assignment_expression
  left: (member_expression object: _ @_object property: (property_identifier) @alias)
  right: (identifier) @exports
  (#any-of? @_object "exports" "module.exports"))

; export * as store from "./store"
(export_statement
  (namespace_export (identifier) @alias)
  source: (string (string_fragment) @module))

; module.exports = require("./store")
(assignment_expression
  left: (member_expression) @_left
  right: (call_expression
    function: (identifier) @_require
    arguments: (arguments . (string (string_fragment) @module) .))
  (#set! imported "*")
  (#eq? @_left "module.exports")
  (#eq? @_require "require"))

; module.exports = { ...store }, of const store = require("./store")
(assignment_expression
  left: (member_expression) @_left
  right: (object (spread_element (identifier) @exports))
  (#set! exported "*")
  (#eq? @_left "module.exports"))

; module.exports = { ...require("./store") }
(assignment_expression
  left: (member_expression) @_left
  right: (object
    (spread_element
      (call_expression
        function: (identifier) @_require
        arguments: (arguments . (string (string_fragment) @module) .))))
  (#set! imported "*")
  (#eq? @_left "module.exports")
  (#eq? @_require "require"))

; require("./store")()
(call_expression
  function: (call_expression
    function: (identifier) @_require
    arguments: (arguments . (string (string_fragment) @module) .))
  (#set! imported "default")
  (#eq? @_require "require"))

; const put = require("./store").add
(variable_declarator
  name: (identifier) @alias
  value: (member_expression
    object: (call_expression
      function: (identifier) @_require
      arguments: (arguments . (string (string_fragment) @module) .))
    property: (property_identifier) @imports)
  (#not-eq? @imports "default")
  (#eq? @_require "require"))

; require("./store").add
(member_expression
  object: (call_expression
    function: (identifier) @_require
    arguments: (arguments . (string (string_fragment) @module) .))
  property: (property_identifier) @imports
  (#not-eq? @imports "default")
  (#eq? @_require "require"))

; const { Store, Item: Thing } = await import("./store")
(variable_declarator
  name: (object_pattern
    [
      (shorthand_property_identifier_pattern) @imports
      (pair_pattern key: (_) @imports value: (identifier) @alias)
    ])
  value: (await_expression
    (call_expression
      function: (import)
      arguments: (arguments . (string (string_fragment) @module) .))))

; const store = await import("./store")
(variable_declarator
  name: (identifier) @alias
  value: (await_expression
    (call_expression
      function: (import)
      arguments: (arguments . (string (string_fragment) @module) .))))

; import store = require("./store")
(import_statement
  (import_require_clause (identifier) @alias source: (string (string_fragment) @module)))

; const store = require("./store")
(variable_declarator
  name: (identifier) @alias
  value: (call_expression
    function: (identifier) @_require
    arguments: (arguments . (string (string_fragment) @module) .))
  (#eq? @_require "require"))

; const { Store, Item: Thing } = require("./store")
(variable_declarator
  name: (object_pattern
    [
      (shorthand_property_identifier_pattern) @imports
      (pair_pattern key: (_) @imports value: (identifier) @alias)
    ])
  value: (call_expression
    function: (identifier) @_require
    arguments: (arguments . (string (string_fragment) @module) .))
  (#eq? @_require "require"))

; const store = new Store()
(variable_declarator
  name: (identifier) @binds
  value: (new_expression constructor: $constructed))

; this.store = new Store()
(assignment_expression
  left: [
    (identifier) @binds
    (member_expression object: (this) property: (property_identifier) @binds)
  ]
  right: (new_expression constructor: $constructed))

; this.store = store
(assignment_expression
  left: (member_expression object: (this) property: (property_identifier) @binds)
  right: (identifier) @bound)

; A modifier that says who sees a declaration.
(export_statement "export" @visibility)

; class Cart extends Base, extends shop.Base, extends mixin(Base)
(extends_clause value: (identifier) @inherits)
(extends_clause value: (member_expression property: (property_identifier) @inherits))
(extends_clause value: (call_expression arguments: (arguments (identifier) @inherits)))

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

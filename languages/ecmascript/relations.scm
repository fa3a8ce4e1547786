; What the nodes of JavaScript and TypeScript call, use and import alike.
; An inner node is `(_ …)` where its fields say what it is: a call has `function` and `arguments`, a
; member expression `object` and `property`. That compiles faster.

; What `new` constructs: `Store`, `shop.Store`.
$constructed = [(identifier) @bound (member_expression property: (property_identifier) @bound)]

; add(item)
(call_expression function: (identifier) @calls)

; new Line(item), new shop.Line(item)
(new_expression constructor: (identifier) @calls)
(new_expression constructor: (member_expression property: (property_identifier) @calls))

; store.size, store.put(item)
(member_expression) @accesses

; Any identifier: what it is follows from the text around it.
(identifier) @mentions

; const { size, total: sum } = cart
(shorthand_property_identifier_pattern) @unpacked
(pair_pattern key: (property_identifier) @unpacked)

; Where a variable or a parameter ends.
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
  source: (_ (string_fragment) @module)
  (#set! imported "default"))

; import { Store as Shelf } from "./store"
(import_statement
  (import_clause
    (named_imports (import_specifier name: (_) @imports alias: (identifier)? @alias)))
  source: (_ (string_fragment) @module))

; import * as store from "./store"
(import_statement
  (import_clause (namespace_import (identifier) @alias))
  source: (_ (string_fragment) @module))

; export { Store as Shelf } from "./store"
(export_statement
  (export_clause (export_specifier name: (_) @imports alias: (_)? @alias))
  source: (_ (string_fragment) @module))

; export * from "./store"
(export_statement .
  ["export" "*"]
  . "*"?
  . source: (_ (string_fragment) @module)
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
  left: (_ object: _ @_object property: (property_identifier) @alias)
  right: (identifier) @exports
  (#any-of? @_object "exports" "module.exports"))

; export * as store from "./store"
(export_statement
  (namespace_export (identifier) @alias)
  source: (_ (string_fragment) @module))

; module.exports = require("./store")
(assignment_expression
  left: (member_expression) @_left
  right: (_
    function: (identifier) @_require
    arguments: (_ . (string (string_fragment) @module) .))
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
      (_
        function: (identifier) @_require
        arguments: (_ . (string (string_fragment) @module) .))))
  (#set! imported "*")
  (#eq? @_left "module.exports")
  (#eq? @_require "require"))

; require("./store")()
(call_expression
  function: (_
    function: (identifier) @_require
    arguments: (_ . (string (string_fragment) @module) .))
  (#set! imported "default")
  (#eq? @_require "require"))

; const put = require("./store").add
(variable_declarator
  name: (identifier) @alias
  value: (_
    object: (_
      function: (identifier) @_require
      arguments: (_ . (string (string_fragment) @module) .))
    property: (property_identifier) @imports)
  (#not-eq? @imports "default")
  (#eq? @_require "require"))

; require("./store").add
(member_expression
  object: (_
    function: (identifier) @_require
    arguments: (_ . (string (string_fragment) @module) .))
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
    (_
      function: (import)
      arguments: (_ . (string (string_fragment) @module) .))))

; const store = await import("./store")
(variable_declarator
  name: (identifier) @alias
  value: (await_expression
    (_
      function: (import)
      arguments: (_ . (string (string_fragment) @module) .))))

; (await import("./store")).Store
(member_expression
  object: (parenthesized_expression
    (await_expression
      (_
        function: (import)
        arguments: (_ . (string (string_fragment) @module) .))))
  property: (property_identifier) @imports)

; import("./store").then((store) => store.open())
((call_expression
   function: (_
     object: (_
       function: (import)
       arguments: (_ . (string (string_fragment) @module) .))
     property: (property_identifier) @_then)
   arguments: (_
     . (arrow_function
       [parameter: (identifier) @alias parameters: (formal_parameters . (_) @alias .)])))
 (#eq? @_then "then")
 (#match? @alias "^[\\w$]+$"))

; const store = require("./store")
(variable_declarator
  name: (identifier) @alias
  value: (_
    function: (identifier) @_require
    arguments: (_ . (string (string_fragment) @module) .))
  (#eq? @_require "require"))

; const { Store, Item: Thing } = require("./store")
(variable_declarator
  name: (object_pattern
    [
      (shorthand_property_identifier_pattern) @imports
      (pair_pattern key: (_) @imports value: (identifier) @alias)
    ])
  value: (_
    function: (identifier) @_require
    arguments: (_ . (string (string_fragment) @module) .))
  (#eq? @_require "require"))

; const store = new Store()
(variable_declarator
  name: (identifier) @binds
  value: (new_expression constructor: $constructed))

; this.store = new Store()
(assignment_expression
  left: [
    (identifier) @binds
    (_ object: (this) property: (property_identifier) @binds)
  ]
  right: (new_expression constructor: $constructed))

; this.store = store
(assignment_expression
  left: (_ object: (this) property: (property_identifier) @binds)
  right: (identifier) @bound)

; A modifier that says who sees a declaration.
(export_statement "export" @visibility)

; import "./store", import {} from "./store": an import that binds no name
((import_statement source: (_ (string_fragment) @module)) (#set! imported "!"))
((export_statement source: (_ (string_fragment) @module)) (#set! imported "!"))

; import("./store"), require("./store"): wherever they are written
((call_expression
   function: (import)
   arguments: (_ . (string (string_fragment) @module)))
 (#set! imported "!"))
((call_expression
   function: (identifier) @_require
   arguments: (_ . (string (string_fragment) @module)))
 (#set! imported "!")
 (#eq? @_require "require"))

; jest.mock("./store"), require.resolve("./store")
((call_expression
   function: (member_expression) @_loads
   arguments: (_ . (string (string_fragment) @module)))
 (#set! imported "!")
 (#any-of? @_loads
   "jest.doMock" "jest.mock" "jest.requireActual" "require.resolve" "vi.doMock"
   "vi.importActual" "vi.mock"))

; new URL("./store", import.meta.url)
((new_expression
   constructor: (identifier) @_url
   arguments: (_ . (string (string_fragment) @module) . (member_expression) @_meta))
 (#set! imported "!")
 (#eq? @_url "URL")
 (#eq? @_meta "import.meta.url"))

; super(size): a call of the base's constructor
(call_expression function: (super) @calls)

; What is a node in TypeScript.

include "../ecmascript/nodes.scm"

; ---- Namespaces

; namespace Shop { … }, then `declare module "shop" { … }`
(internal_module name: (_) @name) @namespace
(module name: (_) @name) @namespace

; methods: { … } in `export default { … }` or `export default defineComponent({ … })`, of Vue
((export_statement "default"
   value: [
     (object (pair key: (property_identifier) @name value: (object) @body) @namespace)
     (_ !constructor
       arguments: (_ .
         (object (pair key: (property_identifier) @name value: (object) @body) @namespace)))
   ])
 (#any-of? @name "methods" "computed" "watch"))

; ---- Types

; Classes, interfaces, enums, type aliases.
(class_declaration name: (type_identifier) @name) @type
(abstract_class_declaration name: (type_identifier) @name) @type
(interface_declaration name: (type_identifier) @name) @type
(enum_declaration name: (identifier) @name) @type
(type_alias_declaration name: (type_identifier) @name) @type

; Cart = class Cart { … }, return class Cart { … }
(assignment_expression right: (class name: (type_identifier) @name)) @type
(return_statement (class name: (type_identifier) @name)) @type

; ---- Functions

; Declarations without a body: overloads, and methods of interfaces and abstract classes.
(function_signature name: (identifier) @name) @method
[(method_signature name: (_) @name) (abstract_method_signature name: (_) @name)] @method

; const Cart = memo(() => { … }): a function in a function that wraps it
(variable_declarator
  name: (identifier) @name
  value: (_ function: (_) @_wrapper arguments: (_ . $callback))
  (#match? @_wrapper
    "(^|\\.)(memo|computed|forwardRef|observer|useCallback|debounce|throttle)$")) @method

; add = () => { … } in a class
(public_field_definition name: (_) @name value: $function) @method

; Cart.add = function () { … }; not `exports.add`, whose scope says nothing
(assignment_expression
  left: (_ object: (identifier) @scope property: (_) @name)
  right: $function
  (#not-match? @scope "^(exports|self|window|global|globalThis)$")) @method

; exports.add = function () { … }
(assignment_expression
  left: (_ object: (identifier) @_object property: (_) @name)
  right: $function
  (#any-of? @_object "exports" "self" "window" "global" "globalThis")) @method

; this.add = function () { … }
(assignment_expression left: (_ object: (this) property: (_) @name) right: $function) @method

; Cart.prototype.add = function () { … }
(assignment_expression
  left: (_ object: (_ object: (_) @scope property: (_) @_member) property: (_) @name)
  right: $function
  (#eq? @_member "prototype")) @method

; shop.cart.add = function () { … }
(assignment_expression
  left: (_ object: (_ property: (_) @_member) property: (_) @name)
  right: $function
  (#not-eq? @_member "prototype")) @method

; const useCart = defineStore(() => { … }), const add = wrap(log(() => { … })), of the file
(program
  [
    (_
      (variable_declarator
        name: (identifier) @name
        value: (_ !constructor
          arguments: (_
            [
              (arrow_function body: (_) @body)
              (function_expression body: (_) @body)
              (_ !constructor arguments: (_ $callback))
            ]))) @method)
    (export_statement
      declaration: (lexical_declaration
        (variable_declarator
          name: (identifier) @name
          value: (_ !constructor
            arguments: (_
              [
                (arrow_function body: (_) @body)
                (function_expression body: (_) @body)
                (_ !constructor arguments: (_ $callback))
              ]))) @method))
  ])

; export default wrap(() => { … })
(export_statement "default" @name value: (_ !constructor arguments: (_ $callback))) @method

; const GET = (async () => { … }) satisfies Handler
(variable_declarator
  name: (identifier) @name
  value: [
    (as_expression (parenthesized_expression $function))
    (satisfies_expression (parenthesized_expression $function))
  ]) @method

; ---- Objects

; An object, also with `as const` and `satisfies`.
$object = [
  (object) @body
  (as_expression (object) @body)
  (satisfies_expression (object) @body)
  (satisfies_expression (as_expression (object) @body))
]

; const actions = { … }, const store = create({ … }), const store = new Store({ … })
(variable_declarator name: (identifier) @name value: $object) @holder
(variable_declarator name: (identifier) @name value: (_ arguments: (_ $object))) @holder

; export default { … }, export default create({ … }), export default new Store({ … })
(export_statement "default" @name value: $object) @holder
(export_statement "default" @name value: (_ arguments: (_ $object))) @holder

; actions: { … } as const in an object
(pair
  key: (_) @name
  value: [(as_expression (object) @body) (satisfies_expression (object) @body)]) @holder

; ---- Members

; enum Color { Red, Green = "green" }
(enum_body name: [(property_identifier) (string)] @member)
(enum_assignment name: (_) @member)

; Properties of interfaces, then fields of classes.
(property_signature name: (_) @member)
(public_field_definition name: (_) @member)

; constructor(private size: number, readonly total = 1): fields of the class
([
   (required_parameter
     [
       (accessibility_modifier)
       (override_modifier)
       "readonly"
     ]
     pattern: (identifier) @member)
   (optional_parameter
     [
       (accessibility_modifier)
       (override_modifier)
       "readonly"
     ]
     pattern: (identifier) @member)
 ]
 (#set! scope "object"))

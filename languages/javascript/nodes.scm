; What is a node in JavaScript.

include "../ecmascript/nodes.scm"

; ---- Namespaces

; methods: { … } in `export default { … }` or `export default defineComponent({ … })`, of Vue
((export_statement "default"
   value: [
     (object (pair key: (property_identifier) @name value: (object) @body) @namespace)
     (call_expression
       arguments: (arguments .
         (object (pair key: (property_identifier) @name value: (object) @body) @namespace)))
   ])
 (#any-of? @name "methods" "computed" "watch"))

; ---- Types

(class_declaration name: (identifier) @name) @type

; Cart = class Cart { … }, return class Cart { … }
(assignment_expression right: (class name: (identifier) @name)) @type
(return_statement (class name: (identifier) @name)) @type

; ---- Functions

; const Cart = memo(() => { … }): a function in a function that wraps it
(variable_declarator
  name: (identifier) @name
  value: (call_expression function: (_) @_wrapper arguments: (arguments . $callback))
  (#match? @_wrapper
    "(^|\\.)(memo|computed|forwardRef|observer|useCallback|debounce|throttle)$")) @method

; add = () => { … } in a class
(field_definition property: (_) @name value: $function) @method

; Cart.add = function () { … }; not `exports.add`, whose scope says nothing
(assignment_expression
  left: (member_expression object: (identifier) @scope property: (_) @name)
  right: $function
  (#not-match? @scope "^(exports|self|window|global|globalThis)$")) @method

; exports.add = function () { … }
(assignment_expression
  left: (member_expression object: (identifier) @_object property: (_) @name)
  right: $function
  (#any-of? @_object "exports" "self" "window" "global" "globalThis")) @method

; this.add = function () { … }
(assignment_expression
  left: (member_expression object: (this) property: (_) @name)
  right: $function) @method

; Cart.prototype.add = function () { … }
(assignment_expression
  left: (member_expression
    object: (member_expression object: (_) @scope property: (_) @_member)
    property: (_) @name)
  right: $function
  (#eq? @_member "prototype")) @method

; shop.cart.add = function () { … }
(assignment_expression
  left: (member_expression
    object: (member_expression property: (_) @_member)
    property: (_) @name)
  right: $function
  (#not-eq? @_member "prototype")) @method

; const useCart = defineStore(() => { … }), const add = wrap(log(() => { … })), of the file
(program
  [
    (_
      (variable_declarator
        name: (identifier) @name
        value: (call_expression
          arguments: (arguments
            [
              (arrow_function body: (_) @body)
              (function_expression body: (_) @body)
              (call_expression arguments: (arguments $callback))
            ]))) @method)
    (export_statement
      declaration: (lexical_declaration
        (variable_declarator
          name: (identifier) @name
          value: (call_expression
            arguments: (arguments
              [
                (arrow_function body: (_) @body)
                (function_expression body: (_) @body)
                (call_expression arguments: (arguments $callback))
              ]))) @method))
  ])

; export default wrap(() => { … })
(export_statement "default" @name
  value: (call_expression arguments: (arguments $callback))) @method

; ---- Objects

; const actions = { … }
(variable_declarator name: (identifier) @name value: (object) @body) @holder

; const store = create({ … }), const store = new Store({ … })
(variable_declarator
  name: (identifier) @name
  value: (_ arguments: (arguments (object) @body))) @holder

; export default { … }, export default create({ … }), export default new Store({ … })
(export_statement "default" @name value: (object) @body) @holder
(export_statement "default" @name value: (_ arguments: (arguments (object) @body))) @holder

; ---- Members

; Fields of classes.
(field_definition property: (_) @member)

; this.total = total
((assignment_expression
   left: (member_expression object: (this) property: (property_identifier) @member))
 (#set! scope "object"))

; ---- Comments

; A doc comment belongs to its declaration also across a blank line.
((comment) @doc @apart (#match? @doc "^/[*][*]"))

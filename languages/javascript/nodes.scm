; What is a node in JavaScript.

$function = [(arrow_function) (function_expression) (generator_function)]

; A function as an argument, whose body is known.
$callback = [(arrow_function body: (_) @body) (function_expression body: (_) @body)]

; What a Vue component has in its options.
$option = [
  (pair key: (property_identifier) @_option value: (object))
  (method_definition name: (property_identifier) @_option)
]

; A call that is a statement of the file or gives a variable of it its value.
$immediate = (#has-parent? @_call
  "program expression_statement"
  "program expression_statement parenthesized_expression"
  "program expression_statement unary_expression"
  "program expression_statement assignment_expression"
  "program variable_declaration variable_declarator"
  "program lexical_declaration variable_declarator")

$string = [(string) (template_string)]

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

; module.exports = { … }
(assignment_expression
  left: (member_expression) @_left
  right: (object) @body
  (#eq? @_left "module.exports")) @namespace

; (function ($) { … })(jQuery), (() => { … })(), also with .call: the function around a module
((call_expression
   function: [
     (parenthesized_expression [(function_expression !name) (arrow_function)] @namespace)
     (function_expression !name) @namespace
     (member_expression
       object: (parenthesized_expression
         [(function_expression !name) (arrow_function)] @namespace))
   ]) @_call
 $immediate)

; (function (factory) { … })(function () { … }): the module is the argument
((call_expression
   function: [(parenthesized_expression (function_expression)) (function_expression)]
   arguments: (arguments [(function_expression) (arrow_function)] @namespace)) @_call
 $immediate)

; define(["a"], function (a) { … })
((call_expression
   function: (identifier) @_define
   arguments: (arguments [(function_expression) (arrow_function)] @namespace)) @_call
 (#any-of? @_define "define" "require" "requirejs")
 (#has-parent? @_call "program expression_statement"))

; ---- Types

(class_declaration name: (identifier) @name) @type

; const Cart = class { … }
(variable_declarator name: (identifier) @name value: (class)) @type

; Cart = class Cart { … }, return class Cart { … }
(assignment_expression right: (class name: (identifier) @name)) @type
(return_statement (class name: (identifier) @name)) @type

; export default class { … }
(export_statement "default" @name value: (class)) @type

; export default { methods: { … } }: a Vue component
((export_statement "default" @name
   value: [
     (object $option) @body
     (call_expression arguments: (arguments . (object $option) @body))
   ]) @type
 (#any-of? @_option "methods" "computed" "watch" "setup" "data"))

; ---- Functions

[
  (function_declaration name: (identifier) @name)
  (generator_function_declaration name: (identifier) @name)
] @method

; Methods, also getters, setters and constructors.
(method_definition name: (_) @name) @method

; const add = () => { … }
(variable_declarator name: (identifier) @name value: $function) @method

; const Cart = memo(() => { … }): a function in a function that wraps it
(variable_declarator
  name: (identifier) @name
  value: (call_expression function: (_) @_wrapper arguments: (arguments . $callback))
  (#match? @_wrapper
    "(^|\\.)(memo|computed|forwardRef|observer|useCallback|debounce|throttle)$")) @method

; add = () => { … } in a class
(field_definition property: (_) @name value: $function) @method

; add: () => { … } in an object
(pair key: (_) @name value: $function) @method

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

; export default function () { … }
(export_statement "default" @name value: [(function_expression) (arrow_function)]) @method

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

; ---- Calls with a name and a function

; describe("a cart", () => { … }), app.get("/carts", …)
(call_expression arguments: (arguments . $string @name $callback)) @call

; app.component("cart", { … }): an object in place of the function
(expression_statement
  (call_expression arguments: (arguments . $string @name . (object) @body))) @holder

; ---- Objects

; const actions = { … }
(variable_declarator name: (identifier) @name value: (object) @body) @holder

; Cart.defaults = { … }
(assignment_expression
  left: (member_expression property: (property_identifier) @name) @_left
  right: (object) @body
  (#not-eq? @_left "module.exports")) @holder

; actions: { … } in an object
(pair key: (_) @name value: (object) @body) @holder

; const store = create({ … })
(variable_declarator
  name: (identifier) @name
  value: (call_expression arguments: (arguments (object) @body))) @holder

; export default { … }, export default create({ … })
(export_statement "default" @name value: (object) @body) @holder
(export_statement "default" @name
  value: (call_expression arguments: (arguments (object) @body))) @holder

; ---- Members

; Fields of classes.
(field_definition property: (_) @member)

; this.total = total
((assignment_expression
   left: (member_expression object: (this) property: (property_identifier) @member))
 (#set! scope "object"))

; Variables of the file.
(program
  [
    (lexical_declaration (variable_declarator name: (identifier) @member))
    (variable_declaration (variable_declarator name: (identifier) @member))
    (export_statement
      declaration: (lexical_declaration (variable_declarator name: (identifier) @member)))
  ]
  (#set! scope "file"))

; Functions of an object.
(object
  [
    (method_definition name: [(property_identifier) (string)] @member)
    (pair key: [(property_identifier) (string)] @member value: $function)
  ])

; ---- Functions and objects without a name

(arrow_function body: (statement_block)) @closure
(function_expression) @closure

; An object that has functions.
(object [(method_definition) (pair value: $function)]) @closure

; ---- Comments

[(comment) (decorator)] @doc

; A doc comment belongs to its declaration also across a blank line.
((comment) @doc @apart (#match? @doc "^/[*][*]"))

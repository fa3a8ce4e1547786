; What is a node in JavaScript and in TypeScript.

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
   arguments: (_ [(function_expression) (arrow_function)] @namespace)) @_call
 $immediate)

; define(["a"], function (a) { … })
((call_expression
   function: (identifier) @_define
   arguments: (_ [(function_expression) (arrow_function)] @namespace)) @_call
 (#any-of? @_define "define" "require" "requirejs")
 (#has-parent? @_call "program expression_statement"))

; ---- Types

; const Cart = class { … }
(variable_declarator name: (identifier) @name value: (class)) @type

; export default class { … }
(export_statement "default" @name value: (class)) @type

; export default { methods: { … } }: a Vue component
((export_statement "default" @name
   value: [
     (object $option) @body
     (call_expression arguments: (_ . (object $option) @body))
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

; add = () => { … }
(assignment_expression left: (identifier) @name right: $function) @method

; add: () => { … } in an object
(pair key: (_) @name value: $function) @method

; export default function () { … }
(export_statement "default" @name value: [(function_expression) (arrow_function)]) @method

; ---- Calls with a name and a function

; describe("a cart", () => { … }), app.get("/carts", …)
(call_expression arguments: (_ . $string @name $callback)) @call

; app.component("cart", { … }): an object in place of the function
(expression_statement
  (call_expression arguments: (_ . $string @name . (object) @body))) @holder

; ---- Objects

; Cart.defaults = { … }
(assignment_expression
  left: (member_expression property: (property_identifier) @name) @_left
  right: (object) @body
  (#not-eq? @_left "module.exports")) @holder

; actions: { … } in an object
(pair key: (_) @name value: (object) @body) @holder

; ---- Members

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

; What is a node in Scala.

; The verbs of ScalaTest.
$verb = (#any-of? @_verb "in" "should" "when" "can" "must" "ignore")

; ---- Package

; package acme; package shop: both parts of the name, then `package acme.shop`
((package_clause name: (_) @scope !body) . (package_clause name: (_) @name @package !body))
(package_clause name: (_) @name @package !body)

; ---- Namespaces

; package shop { … }
(package_clause name: (_) @name body: (_)) @namespace

; ---- Types

; Classes, traits and objects, also `given`, `extension (cart: Cart)` and `type Prices = …`.
[
  (class_definition name: (identifier) @name)
  (trait_definition name: (identifier) @name)
  (object_definition name: (identifier) @name)
  (package_object name: (identifier) @name)
  (enum_definition name: (identifier) @name)
  (type_definition name: (type_identifier) @name)
  (given_definition name: (identifier) @name)
  (given_definition !name return_type: (_) @name)
  (extension_definition
    parameters: (parameters .
      (parameter type: [(type_identifier) @name (generic_type type: (_) @name)]))
    [(function_definition) (function_declaration) (template_body)]* @body)
] @type

; ---- Functions

; def add(item: Item) = …, with braces, without a body
(function_definition name: (_) @name "=" @body) @method
(function_definition name: (_) @name) @method
(function_declaration name: (_) @name) @method

; val add = (item: Item) => …
(val_definition pattern: (identifier) @name "=" @body value: (lambda_expression)) @method

; ---- Calls with a name and a function

; test("adds an item") { … }, of MUnit and ZIO
(compilation_unit
  (call_expression
    function: (call_expression arguments: (arguments . (string) @name))
    arguments: [(block) (colon_argument)] @body) @call)
(template_body
  (call_expression
    function: (call_expression arguments: (arguments . (string) @name))
    arguments: [(block) (colon_argument)] @body) @call)
(block
  (call_expression
    function: (call_expression arguments: (arguments . (string) @name))
    arguments: [(block) (colon_argument)] @body) @call)

; "a cart" should { … }, "adds an item" in { … }, of ScalaTest
(compilation_unit
  (infix_expression
    left: (string) @name
    operator: (identifier) @_verb
    right: (block) @body) @call
  $verb)
(template_body
  (infix_expression
    left: (string) @name
    operator: (identifier) @_verb
    right: (block) @body) @call
  $verb)
(block
  (infix_expression
    left: (string) @name
    operator: (identifier) @_verb
    right: (block) @body) @call
  $verb)

; ---- Objects

; val listener = new Listener { … }
(val_definition
  pattern: (identifier) @name
  "=" @body
  value: (instance_expression (template_body))) @object

; ---- Members

[
  (val_definition pattern: (identifier) @member)
  (var_definition pattern: (identifier) @member)
  (val_declaration name: (identifier) @member)
]
(class_parameter name: (identifier) @member)

; case Red, case Red(rate: Int)
[(simple_enum_case name: (identifier) @member) (full_enum_case name: (identifier) @member)]

; ---- Comments

[(comment) (block_comment)] @doc

; What is a node in PHP.

$string = [(string) (encapsed_string)]

$callback = [(anonymous_function body: (_) @body) (arrow_function body: (_) @body)]

; ---- Package

; namespace Acme\Shop;
(namespace_definition name: (namespace_name) @name !body) @package

; ---- Namespaces

; namespace Acme\Shop { … }
(namespace_definition name: (namespace_name) @name body: (_)) @namespace

; ---- Types

[
  (class_declaration name: (name) @name)
  (interface_declaration name: (name) @name)
  (trait_declaration name: (name) @name)
  (enum_declaration name: (name) @name)
] @type

; new class { … }
((anonymous_class) @type (#set! name "class@anonymous"))

; ---- Functions

; Methods, functions, properties with hooks, `$add = function () { … }`, `$add = fn () => …`.
[
  (method_declaration name: (name) @name)
  (function_definition name: (name) @name)
  (property_declaration
    (property_element name: (variable_name (name) @name))
    (property_hook_list) @body)
  (assignment_expression left: (variable_name (name) @name) right: (anonymous_function))
  (assignment_expression left: (variable_name (name) @name) right: (arrow_function "=>" @body))
] @method

; ---- Calls with a name and a function

; it('adds an item', function () { … }), Route::get('/carts', fn () => …)
$test = [
  (function_call_expression
    arguments: (arguments . (argument $string @name) (argument $callback)))
  (scoped_call_expression
    arguments: (arguments . (argument $string @name) (argument $callback)))
  (member_call_expression
    arguments: (arguments . (argument $string @name) (argument $callback)))
]

(expression_statement $test) @call

; The same with what is called on it: ->with([1, 2])->group('carts');
(expression_statement (member_call_expression object: $test)) @call
(expression_statement
  (member_call_expression object: (member_call_expression object: $test))) @call
(expression_statement
  (member_call_expression
    object: (member_call_expression object: (member_call_expression object: $test)))) @call

; ---- Members

; const MAX = 3;
(const_element . (name) @member)
(property_element name: (variable_name (name) @member))
((property_promotion_parameter name: (variable_name (name) @member)) (#set! scope "object"))
(enum_case name: (name) @member)

; ---- Comments

(comment) @doc

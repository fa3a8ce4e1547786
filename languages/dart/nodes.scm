; What is a node in Dart.

; Functions, getters and setters.
$function = [
  (function_signature name: (identifier) @name)
  (getter_signature name: (identifier) @name)
  (setter_signature name: (identifier) @name)
]

; All that a class can declare with a body. The grammar has the body as the next sibling.
$signature = [
  (function_signature name: (identifier) @name)
  (getter_signature name: (identifier) @name)
  (setter_signature name: (identifier) @name)
  (operator_signature "operator" . _ @name)
  (constructor_signature name: (identifier) @name . parameters: (_))
  (constant_constructor_signature (identifier) @name . (formal_parameter_list))
  (factory_constructor_signature (identifier) @name . (formal_parameter_list))
  (redirecting_factory_constructor_signature (identifier) @name . (formal_parameter_list))
]

; Variables with or without a type, final or not.
$variables = [
  (initialized_identifier_list (initialized_identifier . (identifier) @member))
  (static_final_declaration_list (static_final_declaration . (identifier) @member))
]

; ---- Package

; library acme.shop;
(library_name (dotted_identifier_list) @name) @package

; ---- Types

; class Cart { … }
(class_definition name: (identifier) @name) @type

; class Cart = Base with Counting;
(class_definition (mixin_application_class . (identifier) @name)) @type

; mixin Counting { … }
(mixin_declaration (identifier) @name (class_body) @body) @type

; extension Totals on Cart { … }
(extension_declaration name: (identifier) @name) @type

; extension on Cart { … }, named "extension on Cart"
(extension_declaration !name "extension" @name "on" class: (type_identifier) @name) @type

; extension type Price(int cents) { … }
(extension_type_declaration name: (identifier) @name) @type
(enum_declaration name: (identifier) @name) @type

; typedef Prices = Map<String, int>;
(type_alias . "typedef" . (type_identifier) @name . ["=" (type_parameters)]) @type

; typedef int Compare(a, b);
(type_alias (type_identifier) @name . (formal_parameter_list)) @type

; ---- Functions

; A method with its body.
((method_signature $signature) @method . (function_body) @body @end)

; A method without a body: abstract, external or a constructor that ends with `;`.
(declaration $signature) @method

; A function of the file, with its body, then without one.
($function @method . (function_body) @body @end)
(program $function @method)

; A function inside a function.
(lambda_expression
  parameters: (function_signature name: (identifier) @name)
  body: (_) @body) @method

; final add = (a, b) => a + b;
(program
  [
    (static_final_declaration_list
      (static_final_declaration
        (identifier) @name
        (function_expression body: (_) @body)) @method)
    (initialized_identifier_list
      (initialized_identifier (identifier) @name (function_expression body: (_) @body)) @method)
  ])

; ---- Calls with a name and a function

; test('adds an item', () { … });
(expression_statement
  (selector
    (argument_part
      (arguments .
        (argument (string_literal) @name)
        (argument (function_expression body: (_) @body)))))) @call

; ---- Members

(enum_constant name: (identifier) @member)

; Fields of a class, then variables of the file.
(declaration $variables)
(program $variables)

; ---- Functions and objects without a name

(function_expression) @closure

; ---- Comments

; Annotations belong to the declaration below them like comments.
[(comment) (documentation_comment) (annotation)] @doc

; What is a node in Java.

; ---- Package

; package acme.shop;
(package_declaration [(scoped_identifier) (identifier)] @name) @package

; ---- Types

[
  (class_declaration name: (identifier) @name)
  (interface_declaration name: (identifier) @name)
  (enum_declaration name: (identifier) @name)
  (record_declaration name: (identifier) @name)
  (annotation_type_declaration name: (identifier) @name)
] @type

; ---- Functions

; Methods, constructors (`Cart(…)`, of a record also `Cart`), elements of annotations.
[
  (method_declaration name: (identifier) @name)
  (constructor_declaration name: (identifier) @name)
  (compact_constructor_declaration name: (identifier) @name)
  (annotation_type_element_declaration name: (identifier) @name)
] @method

; static { … }
(static_initializer "static" @name (block) @body) @method

; ---- Calls with a name and a function

; test("adds", () -> { … });
(expression_statement
  (method_invocation
    arguments: (argument_list . (string_literal) @name (lambda_expression body: (_) @body)))) @call

; ---- Objects

; Listener listener = new Listener() { … };
(field_declaration
  declarator: (variable_declarator
    name: (identifier) @name
    value: (object_creation_expression (class_body) @body))) @object
(local_variable_declaration
  declarator: (variable_declarator
    name: (identifier) @name
    value: (object_creation_expression (class_body) @body))) @object

; RED { int rate() { … } }
(enum_constant name: (identifier) @name body: (class_body) @body) @object

; ---- Members

(enum_constant name: (identifier) @member)

; Fields, and the constants of interfaces.
[
  (field_declaration declarator: (variable_declarator name: (identifier) @member))
  (constant_declaration declarator: (variable_declarator name: (identifier) @member))
]

; record Point(int x, int y)
(record_declaration
  parameters: (formal_parameters (formal_parameter name: (identifier) @member)))

; ---- Functions and objects without a name

; new Listener() { … } and () -> { … } without a name
(object_creation_expression (class_body)) @closure
(lambda_expression body: (block)) @closure

; ---- Comments

[(line_comment) (block_comment)] @doc

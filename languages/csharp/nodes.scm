; What is a node in C#.

; ---- Package

; namespace Acme.Shop;
(file_scoped_namespace_declaration name: (_) @name) @package

; ---- Namespaces

; namespace Acme.Shop { … }
(namespace_declaration name: (_) @name) @namespace

; ---- Types

[
  (class_declaration name: (identifier) @name)
  (struct_declaration name: (identifier) @name)
  (interface_declaration name: (identifier) @name)
  (enum_declaration name: (identifier) @name)
  (record_declaration name: (identifier) @name)
  (delegate_declaration name: (identifier) @name)
] @type

; ---- Functions

; static Cart() { … }, named "static"
(constructor_declaration (modifier) @name (#eq? @name "static")) @method

; Cart(int size) { … }
(constructor_declaration name: (identifier) @name) @method

; Methods and functions in them, `~Cart()`, properties with code, events, `this[int index]`,
; operators (`operator +`) and conversions (`operator int`).
[
  (method_declaration name: (identifier) @name)
  (destructor_declaration "~" @name name: (identifier) @name)
  (local_function_statement name: (identifier) @name)
  (property_declaration name: (identifier) @name value: (arrow_expression_clause) @body)
  (property_declaration
    name: (identifier) @name
    accessors: (accessor_list (accessor_declaration body: (_))) @body)
  (event_declaration name: (identifier) @name accessors: (_) @body)
  (indexer_declaration "this" @name [(accessor_list) (arrow_expression_clause)] @body)
  (operator_declaration "operator" @scope operator: _ @name . (ERROR)? @name)
  (conversion_operator_declaration "operator" @scope type: (_) @name)
] @method

; ---- Calls with a name and a function

; test("adds", () => { … });
(expression_statement
  (invocation_expression
    arguments: (argument_list .
      (argument (string_literal) @name)
      (argument
        [(lambda_expression body: (_) @body) (anonymous_method_expression (block) @body)])))) @call

; ---- Members

(enum_member_declaration name: (identifier) @member)

; A property without code; one with code is a method above.
(property_declaration name: (identifier) @member)
[
  (field_declaration (variable_declaration (variable_declarator name: (identifier) @member)))
  (event_field_declaration
    (variable_declaration (variable_declarator name: (identifier) @member)))
]

; record Point(int X, int Y)
(record_declaration (parameter_list (parameter name: (identifier) @member)))

; ---- Comments

(comment) @doc

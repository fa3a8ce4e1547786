; What is a node in Swift.

; ---- Types

; class, struct, enum, actor and extension
(class_declaration declaration_kind: _ name: (_) @name) @type
(protocol_declaration name: (type_identifier) @name) @type
(typealias_declaration name: (type_identifier) @name) @type
(associatedtype_declaration . "associatedtype" . name: (type_identifier) @name) @type

; ---- Functions

; func add(_ item: Item) { … }, func == (…): any token behind `func`
(function_declaration "func" . _ @name) @method

; func add(_ item: Item) in a protocol, then operators
(protocol_function_declaration name: (simple_identifier) @name) @method
(protocol_function_declaration "func" . _ @name) @method
(init_declaration name: _ @name) @method
(deinit_declaration "deinit" @name) @method

; subscript(index: Int) -> Item { … }
(subscript_declaration "subscript" @name (computed_property)? @body) @method

; var size: Int { … }
(property_declaration name: (pattern) @name computed_value: (_) @body) @method

; ---- Calls with a name and a function

; test("adds an item") { … }
(source_file
  (call_expression
    (call_suffix
      (value_arguments . (value_argument value: (line_string_literal) @name))
      (lambda_literal "{" @body))) @call)
(statements
  (call_expression
    (call_suffix
      (value_arguments . (value_argument value: (line_string_literal) @name))
      (lambda_literal "{" @body))) @call)

; ---- Members

(enum_entry name: (simple_identifier) @member)
(property_declaration name: (pattern bound_identifier: (simple_identifier) @member))
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @member))

; ---- Comments

[(comment) (multiline_comment)] @doc

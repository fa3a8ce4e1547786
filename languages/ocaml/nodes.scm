; What is a node in OCaml.

; A name, or an operator in parentheses.
$name = [(value_name) @name (parenthesized_operator (_) @name)]

; ---- Types

; module Cart = struct … end, then `module Cart` in other forms
(module_definition (module_binding (module_name) @name "=" @body) @type)
(module_definition (module_binding (module_name) @name) @type)

; class cart = object … end
(class_definition (class_binding (class_name) @name "=" @body) @type)

; type cart = …, then without a definition
(type_definition (type_binding name: (_) @name "=" @body) @type)
(type_definition (type_binding name: (_) @name) @type)

; exception Empty
(exception_definition (constructor_declaration (constructor_name) @name)) @type

; module type SENDER = sig … end
(module_type_definition (module_type_name) @name "=" @body) @type
(module_type_definition (module_type_name) @name) @type

; class type sender = object … end
(class_type_definition (class_type_binding (class_type_name) @name "=" @body)) @type

; ---- Functions

; let add cart item = …
(value_definition (let_binding pattern: $name (parameter) "=" @body) @method)

; let add = fun item -> …
(value_definition
  (let_binding pattern: $name "=" @body body: [(fun_expression) (function_expression)]) @method)

; method add item = …, then virtual ones
(method_definition (method_name) @name "=" @body) @method
(method_definition (method_name) @name) @method

; external add : int -> int = "add"
(external (value_name) @name) @method

; val add : int -> int, in a signature
(value_specification $name) @method
(method_specification (method_name) @name) @method

; ---- Calls with a name and a function

; let%test "adds an item" = …
(value_definition (attribute_id) (let_binding pattern: (string) @name "=" @body) @call)

; ---- Members

(field_declaration (field_name) @member)
(constructor_declaration (constructor_name) @member)

; let limit = 3 of a module
((value_definition (let_binding pattern: (value_name) @member)) @_definition
 (#not-eq? @member "_")
 (#has-parent? @_definition "compilation_unit" "structure"))

; val mutable items = []
(instance_variable_definition (instance_variable_name) @member)

; ---- Comments

(comment) @doc

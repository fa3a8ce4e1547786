; What is a node in an interface of OCaml.

; ---- Types

; module Cart : sig … end, then in other forms
(module_definition
  (module_binding (module_name) @name ":" @body module_type: (signature)) @type)
(module_definition (module_binding (module_name) @name) @type)

; class cart : …
(class_definition (class_binding (class_name) @name ":" @body) @type)

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

; external add : int -> int = "add"
(external (value_name) @name) @method

; val add : int -> int
(value_specification [(value_name) @name (parenthesized_operator (_) @name)]) @method

; method add : int
(method_specification (method_name) @name) @method

; ---- Members

(field_declaration (field_name) @member)
(constructor_declaration (constructor_name) @member)

; ---- Comments

(comment) @doc

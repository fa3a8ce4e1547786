; What the nodes of JavaScript call, use, inherit and import.

include "../ecmascript/relations.scm"

; { size }: a variable
(shorthand_property_identifier) @mentions

; function add(): names that refer to nothing
[
  (function_declaration name: (identifier) @argument_label)
  (generator_function_declaration name: (identifier) @argument_label)
  (function_expression name: (identifier) @argument_label)
  (class_declaration name: (identifier) @argument_label)
]

; What declares a variable or a parameter.
[
  (variable_declarator name: (identifier) @locals)
  (shorthand_property_identifier_pattern) @locals
  (array_pattern (identifier) @locals)
  (pair_pattern value: (identifier) @locals)
  (formal_parameters (identifier) @locals)
  (assignment_pattern left: (identifier) @locals)
  (rest_pattern (identifier) @locals)
  (arrow_function parameter: (identifier) @locals)
  (catch_clause parameter: (identifier) @locals)
  (for_in_statement left: (identifier) @locals)
]

; <Cart />, <Cart>…</Cart>, <shop.Cart>: a component is called
(jsx_closing_element name: (identifier) @argument_label)
(jsx_opening_element name: (identifier) @calls)
(jsx_self_closing_element name: (identifier) @calls)
(jsx_opening_element name: (member_expression property: (property_identifier) @calls))
(jsx_self_closing_element name: (member_expression property: (property_identifier) @calls))

; class Cart extends Base, extends shop.Base, extends mixin(Base)
(class_heritage (identifier) @inherits)
(class_heritage (member_expression property: (property_identifier) @inherits))
(class_heritage (call_expression arguments: (arguments (identifier) @inherits)))

; store = new Store() in a class
(field_definition property: (_) @binds value: (new_expression constructor: (identifier) @bound))

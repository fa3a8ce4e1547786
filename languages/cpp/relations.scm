; What the nodes of C++ call, use, inherit and import.

$bound_type = [(type_identifier) (struct_specifier) (template_type) (qualified_identifier)]

include "../c_family/relations.scm"

; What declares a variable or a parameter, and where it ends.
[
  (parameter_declaration declarator: (identifier) @locals)
  (declaration declarator: (identifier) @locals)
  (init_declarator declarator: (identifier) @locals)
  (pointer_declarator declarator: (identifier) @locals)
  (array_declarator declarator: (identifier) @locals)
  (preproc_params (identifier) @locals)
  (optional_parameter_declaration declarator: (identifier) @locals)
  (reference_declarator (identifier) @locals)
  (structured_binding_declarator (identifier) @locals)
  (for_range_loop declarator: (identifier) @locals)
  (lambda_capture_initializer left: (identifier) @locals)
]
[(function_definition) (compound_statement) (for_statement) (for_range_loop) (lambda_expression) (catch_clause) (template_declaration)] @local_scope

; namespace shop = acme::shop
(namespace_alias_definition
  name: (namespace_identifier) @alias
  [(namespace_identifier) (nested_namespace_specifier)] @module .)

; add<int>(item), cart.add<int>(item)
(template_function name: (identifier) @calls)
(template_method name: (field_identifier) @calls)

; new Line(item), Line{item}
[
  (new_expression type: (type_identifier) @calls)
  (compound_literal_expression type: (type_identifier) @calls)
]

; : public Base, public shop::Base<T>
(base_class_clause
  [
    (type_identifier) @inherits
    (template_type name: (type_identifier) @inherits)
    (qualified_identifier
      name: [(type_identifier) @inherits (template_type name: (type_identifier) @inherits)])
  ])

; using enum Color: the type, and its constants
(using_declaration "enum"
  [(identifier) @extends (qualified_identifier name: (identifier) @extends)])
(using_declaration "enum" @imports
  [(identifier) (qualified_identifier)] @module
  (#set! imported "*"))

; int Cart::*size
(qualified_identifier scope: (namespace_identifier) @uses name: (pointer_type_declarator))

; using shop::add;
(using_declaration "using" . (qualified_identifier) @imports)

; : size(size) in a constructor
(field_initializer (field_identifier) @mentions)

; Store &store as a parameter
([
   (parameter_declaration type: $bound_type @bound declarator: (_) @parameter)
   (optional_parameter_declaration
     type: [(type_identifier) (template_type) (qualified_identifier)] @bound
     declarator: (_) @parameter)
 ])

; Line add()
(function_definition type: [(type_identifier) (template_type) (qualified_identifier)] @returns)

; Store::open as a value, then as a call
(qualified_identifier name: (identifier) @attributes)
(qualified_identifier name: (qualified_identifier scope: (namespace_identifier) @attributes))
(call_expression function: (qualified_identifier) @accesses)

; (struct config){ .port = 1 }: fields of the type
(compound_literal_expression
  type: [(type_descriptor type: $bound_type @bound) $bound_type @bound]
  value: $fields)

; What the nodes of C call, use, inherit and import.

$bound_type = [(type_identifier) (struct_specifier)]

include "../c_family/relations.scm"

; What declares a variable or a parameter, and where it ends.
[
  (parameter_declaration declarator: (identifier) @locals)
  (declaration declarator: (identifier) @locals)
  (init_declarator declarator: (identifier) @locals)
  (pointer_declarator declarator: (identifier) @locals)
  (array_declarator declarator: (identifier) @locals)
  (preproc_params (identifier) @locals)
  (parameter_list (identifier) @locals)
]
[(function_definition) (compound_statement) (for_statement)] @local_scope

; Store *store as a parameter
(parameter_declaration type: $bound_type @bound declarator: (_) @parameter)

; Line add(), struct line add()
(function_definition
  type: [(type_identifier) @returns (struct_specifier name: (type_identifier) @returns)])

; (struct config){ .port = 1 }: fields of the type
(compound_literal_expression
  type: (type_descriptor type: $bound_type @bound)
  value: $fields)

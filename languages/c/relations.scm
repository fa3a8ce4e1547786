; What the nodes of C call, use, inherit and import.

$bound_type = [(type_identifier) (struct_specifier)]

; add(item)
(call_expression function: (identifier) @calls)

; store.put, store->put
(field_expression) @accesses

; A name alone, where it is read.
[
  (argument_list (identifier) @mentions)
  (init_declarator value: (identifier) @mentions)
  (assignment_expression right: (identifier) @mentions)
  (return_statement (identifier) @mentions)
  (binary_expression (identifier) @mentions)
  (initializer_list (identifier) @mentions)
  (pointer_expression (identifier) @mentions)
  (case_statement value: (identifier) @mentions)
  (conditional_expression (identifier) @mentions)
  (cast_expression (identifier) @mentions)
  (subscript_expression (identifier) @mentions)
  (unary_expression (identifier) @mentions)
  (parenthesized_expression (identifier) @mentions)
  (array_declarator size: (identifier) @mentions)
  (preproc_defined (identifier) @mentions)
  (preproc_ifdef name: (identifier) @mentions)
]

; A type by its name, wherever it stands.
(type_identifier) @uses

; .add = add_item in an initialiser
(initializer_pair value: (identifier) @attributes)

; A name in capitals is a macro or a constant.
((identifier) @attributes (#match? @attributes "^[A-Z][A-Z0-9_]{2,}$"))

; #define ADD(a, b) …: the names that the macro stands for
(preproc_function_def name: (identifier) @macro parameters: (_) @bound value: (_) @expands)
(preproc_def name: (identifier) @macro value: (_) @expands)

; SHARED Store store: a macro that the grammar cannot read stands before the type
(declaration (ERROR . (identifier) @uses .))
(function_definition (ERROR . (identifier) @uses .))

; #include "store.h", #include <store.h>
(preproc_include path: [(string_literal) (system_lib_string)] @module)

; Store *store as a parameter, a field, a variable.
(parameter_declaration type: $bound_type @bound declarator: (_) @parameter)
(field_declaration type: $bound_type @bound
  declarator: [(field_identifier) (pointer_declarator)] @binds)
(declaration type: $bound_type @bound
  declarator: [
    (identifier) @binds
    (pointer_declarator) @binds
    (init_declarator declarator: (_) @binds)
  ])

; Line add(), struct line add()
(function_definition
  type: [(type_identifier) @returns (struct_specifier name: (type_identifier) @returns)])

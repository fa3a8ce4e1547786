; What the nodes of Objective-C call, use, inherit and import.

$bound_type = [(type_identifier) (struct_specifier)]

; @interface Cart : Base
(class_interface superclass: (identifier) @inherits)

; @interface Cart : Base <Sender>, @interface Cart (Sending) <Sender>
(class_interface (parameterized_arguments (type_name (type_identifier) @implements)))

; @protocol Sender <Base>
(protocol_declaration (protocol_reference_list (identifier) @inherits))

; [Store open]: a receiver with a capital letter is a class
((message_expression receiver: (identifier) @uses) (#match? @uses "^[A-Z]"))

; add(item)
(call_expression function: (identifier) @calls)

; store.put, store->put
(field_expression) @accesses

; Any identifier: what it is follows from the text around it.
(identifier) @visible

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

; A type by its name, wherever it stands.
(type_identifier) @uses

; #define ADD(a, b) …: the names that the macro stands for
(preproc_function_def name: (identifier) @macro parameters: (_) @bound value: (_) @expands)
(preproc_def name: (identifier) @macro value: (_) @expands)

; SHARED Store store: a macro that the grammar cannot read stands before the type
(declaration (ERROR . (identifier) @uses .))
(function_definition (ERROR . (identifier) @uses .))

; #import "store.h", #include <store.h>
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

; struct config c = { .port = 1 }, (struct config){ .port = 1 }: fields of the type
$fields = (initializer_list
  (initializer_pair designator: (field_designator (field_identifier) @fields)))
(declaration type: $bound_type @bound declarator: (init_declarator value: $fields))
(compound_literal_expression
  type: (type_descriptor type: $bound_type @bound)
  value: $fields)

; Fields of a type that stands elsewhere: { .inner = { .port = 1 } }
(field_designator (field_identifier) @fields)

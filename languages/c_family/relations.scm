; What the nodes of C, C++ and Objective-C call, use and import alike. A language says before what
; its declared types are: `$bound_type`.

; add(item)
(call_expression function: (identifier) @calls)

; store.put, store->put
(field_expression) @accesses

; Any identifier: what it is follows from the text around it.
(identifier) @visible

; A type by its name, wherever it stands.
(type_identifier) @uses

; #define ADD(a, b) …: the names that the macro stands for
(preproc_function_def name: (identifier) @macro parameters: (_) @bound value: (_) @expands)
(preproc_def name: (identifier) @macro value: (_) @expands)

; SHARED Store store: a macro that the grammar cannot read stands before the type
(declaration (ERROR . (identifier) @uses .))
(function_definition (ERROR . (identifier) @uses .))

; #include "store.h", #include <store.h>, #import "store.h"
(preproc_include path: [(string_literal) (system_lib_string)] @module)

; Store *store as a field, a variable.
(field_declaration type: $bound_type @bound
  declarator: [(field_identifier) (pointer_declarator)] @binds)
(declaration type: $bound_type @bound
  declarator: [
    (identifier) @binds
    (pointer_declarator) @binds
    (init_declarator declarator: (_) @binds)
  ])

; Fields that an initializer names.
$fields = (initializer_list
  (initializer_pair designator: (field_designator (field_identifier) @fields)))

; struct config c = { .port = 1 }: fields of the type
(declaration type: $bound_type @bound declarator: (init_declarator value: $fields))

; Fields of a type that stands elsewhere: { .inner = { .port = 1 } }
(field_designator (field_identifier) @fields)

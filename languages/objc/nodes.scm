; What is a node in Objective-C.

; A function, also one that returns pointers or is in parentheses: `int (*add(int a))(int)`.
$plain_or_pointer = [
  (identifier) @name
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
]

$function = [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  (pointer_declarator
    declarator: (pointer_declarator
      declarator: (function_declarator declarator: (identifier) @name)))
  (function_declarator declarator: (parenthesized_declarator $plain_or_pointer))
]

$type_name = [(type_identifier) @name (pointer_declarator declarator: (type_identifier) @name)]

$member = [(identifier) @member (pointer_declarator declarator: (identifier) @member)]

; ---- Types

; @interface Cart : Base … @end, with the first declaration as the end of its signature
(class_interface . "@interface" .
  (identifier) @name
  [(property_declaration) (method_declaration) (instance_variables)] @body) @type

; @protocol Sender … @end
(protocol_declaration "@protocol" .
  (identifier) @name
  [(property_declaration) (method_declaration) (qualified_protocol_interface_declaration)] @body) @type

; @implementation Cart … @end
(class_implementation "@implementation" .
  (identifier) @name
  [(implementation_definition) (instance_variables)] @body) @type

; The same without a declaration in them.
[
  (class_interface . "@interface" . (identifier) @name)
  (protocol_declaration "@protocol" . (identifier) @name)
  (class_implementation "@implementation" . (identifier) @name)
] @type

; typedef void (^Handler)(Item *item);
(type_definition
  declarator: [
    (function_declarator
      declarator: (parenthesized_declarator
        (block_pointer_declarator declarator: (type_identifier) @name)))
    (pointer_declarator
      declarator: (function_declarator
        declarator: (parenthesized_declarator
          (block_pointer_declarator declarator: (type_identifier) @name))))
  ]) @type

; typedef struct { … } Cart; also pointers, arrays and functions, as in C
((type_definition
   type: (_ body: (_)? @body)
   declarator: [
     (type_identifier) @name
     (pointer_declarator declarator: (type_identifier) @name)
     (array_declarator declarator: (type_identifier) @name)
     (function_declarator declarator: (type_identifier) @name)
     (function_declarator declarator: (parenthesized_declarator $type_name))
     (pointer_declarator
       declarator: (function_declarator
         declarator: [(type_identifier) @name (parenthesized_declarator $type_name)]))
   ]) @type
 (#set! outermost "cuts"))

; struct item { … } item; as a variable, then as a field: the declaration is the node
((declaration type: (_ name: (type_identifier) @name body: (_) @body)) @type
 (#set! outermost "cuts"))
((field_declaration type: (_ name: (type_identifier) @name body: (_) @body)) @type
 (#set! outermost "cuts"))

; struct cart { … };
([
   (struct_specifier name: (type_identifier) @name body: (_))
   (union_specifier name: (type_identifier) @name body: (_))
   (enum_specifier name: (type_identifier) @name body: (_))
 ] @type
 (#set! outermost "cuts"))

; ---- Functions

; - (void)setRate:(int)rate upload:(int)upload { … }, named setRate:upload
; (`unchecked` leaves patterns with a quantifier as they are; this one would take 70 ms.)
(method_definition
  [(MISSING ERROR) (((identifier) @name @label . (method_parameter))+ (compound_statement) @body)]
) @method

; - (int)size { … }
(method_definition (identifier) @name . (compound_statement) @body) @method

; The same three as they are declared; the last is for what the grammar reads otherwise.
(method_declaration ((identifier) @name @label . (method_parameter))+) @method
(method_declaration (identifier) @name . ";") @method
(method_declaration (method_type)? . (identifier) @name) @method

; Functions of C, defined and declared, and macros with parameters.
(function_definition declarator: $function (#set! outermost "cuts")) @method
(function_definition
  declarator: (parenthesized_declarator (identifier) @name)
  (#set! outermost "cuts")) @method
((declaration declarator: $function) @method
 (#set! outermost "cuts")
 (#has-parent? @method "translation_unit" "implementation_definition" "linkage_specification"
   "preproc_if" "preproc_ifdef" "preproc_elif" "preproc_else" "ERROR"))
((preproc_function_def name: (identifier) @name value: (_)? @body) @method
 (#set! outermost "part"))

; ---- Members

; Properties, then instance variables.
(property_declaration (struct_declaration (struct_declarator $member)))
(instance_variable (struct_declaration (struct_declarator $member)))

; Members of C: enum values, fields, macros, variables with a value.
(enumerator name: (identifier) @member)
(field_declaration
  declarator: [
    (field_identifier) @member
    (pointer_declarator
      declarator: [
        (field_identifier) @member
        (pointer_declarator
          declarator: [
            (field_identifier) @member
            (pointer_declarator declarator: (field_identifier) @member)
          ])
        (array_declarator declarator: (field_identifier) @member)
        (function_declarator
          declarator: (parenthesized_declarator
            (pointer_declarator declarator: (field_identifier) @member)))
      ])
    (array_declarator
      declarator: [
        (field_identifier) @member
        (array_declarator declarator: (field_identifier) @member)
      ])
    (function_declarator
      declarator: (parenthesized_declarator
        (pointer_declarator declarator: (field_identifier) @member)))
  ])
(preproc_def name: (identifier) @member value: (_))
(translation_unit
  (declaration
    declarator: (init_declarator
      declarator: [
        (identifier) @member
        (pointer_declarator
          declarator: [(identifier) @member (array_declarator declarator: (identifier) @member)])
        (array_declarator declarator: (identifier) @member)
      ])))
(type_definition type: (_ name: (type_identifier) @member body: (_)))

; ---- Comments

(comment) @doc

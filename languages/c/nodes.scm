; What is a node in C.

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

; ---- Types

; typedef struct { … } Cart; also pointers, arrays and functions
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

; struct cart { … }; Nothing can be nested in a function of C: what begins a line inside one ends
; it.
([
   (struct_specifier name: (type_identifier) @name body: (_))
   (union_specifier name: (type_identifier) @name body: (_))
   (enum_specifier name: (type_identifier) @name body: (_))
 ] @type
 (#set! outermost "cuts"))

; ---- Functions

; int BPF_PROG(add, int a) { … }: a macro that names the function
(function_definition
  declarator: (function_declarator
    declarator: (identifier) @_macro
    parameters: (parameter_list . (parameter_declaration type: (type_identifier) @name !declarator)))
  (#set! outermost "cuts")
  (#match? @_macro "^[A-Z][A-Z0-9]*_[A-Z0-9_]*$")) @method

(function_definition declarator: $function (#set! outermost "cuts")) @method

; void (add)(int a) { … }: parentheses keep a macro of that name out
(function_definition
  declarator: (parenthesized_declarator (identifier) @name)
  (#set! outermost "cuts")
  (#not-eq? @name "void")) @method

; void add(struct item *item); of a file, or of an @implementation of Objective-C
((declaration declarator: $function) @method
 (#set! outermost "cuts")
 (#has-parent? @method "translation_unit" "declaration_list" "implementation_definition"
   "linkage_specification" "preproc_if" "preproc_ifdef" "preproc_elif" "preproc_else" "ERROR"))

; #define ADD(a, b) …
((preproc_function_def name: (identifier) @name value: (_)? @body) @method
 (#set! outermost "part"))

; ---- Members

(enumerator name: (identifier) @member)

; Fields, with up to three pointers, arrays and pointers to functions.
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

; #define MAX 3
(preproc_def name: (identifier) @member value: (_))

; Variables of a file: total, *total, **total, totals[3], *totals[3], totals[3][3]
$variable = [
  (identifier) @member
  (pointer_declarator
    declarator: [
      (identifier) @member
      (pointer_declarator declarator: (identifier) @member)
      (array_declarator declarator: (identifier) @member)
    ])
  (array_declarator
    declarator: [(identifier) @member (array_declarator declarator: (identifier) @member)])
]
; … with a value or without; tree-sitter misses some in an alternation right inside another one.
$variables = [
  (declaration declarator: $variable)
  (declaration declarator: (init_declarator declarator: $variable))
]
(translation_unit $variables)
(declaration_list $variables)
(linkage_specification $variables)
; In conditions outside of functions.
([
   (preproc_if $variables)
   (preproc_ifdef $variables)
   (preproc_elif $variables)
   (preproc_else $variables)
 ] @_condition
 (#has-parent? @_condition "translation_unit" "declaration_list"
   "translation_unit preproc_if" "translation_unit preproc_ifdef"
   "declaration_list preproc_if" "declaration_list preproc_ifdef"
   "translation_unit preproc_ifdef preproc_if" "translation_unit preproc_ifdef preproc_ifdef"))

; typedef struct cart { … } Cart: the inner name
(type_definition type: (_ name: (type_identifier) @member body: (_)))

; ---- Comments

(comment) @doc

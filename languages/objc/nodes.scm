; What is a node in Objective-C.

; All that C has.
include "../c/nodes.scm"

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

; ---- Members

; Properties, then instance variables.
(property_declaration (struct_declaration (struct_declarator $member)))
(instance_variable (struct_declaration (struct_declarator $member)))

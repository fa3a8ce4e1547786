; What the nodes of Objective-C call, use, inherit and import.

; All that C has.
include "../c/relations.scm"

; @interface Cart : Base
(class_interface superclass: (identifier) @inherits)

; @interface Cart : Base <Sender>, @interface Cart (Sending) <Sender>
(class_interface (parameterized_arguments (type_name (type_identifier) @implements)))

; @protocol Sender <Base>
(protocol_declaration (protocol_reference_list (identifier) @inherits))

; [Store open]: a receiver with a capital letter is a class
((message_expression receiver: (identifier) @uses) (#match? @uses "^[A-Z]"))

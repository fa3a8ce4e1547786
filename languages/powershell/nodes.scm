; What is a node in PowerShell.

; ---- Types

(class_statement (simple_name) @name "{" @body) @type
(enum_statement (simple_name) @name "{" @body) @type

; ---- Functions

(function_statement (function_name) @name "{" @body) @method
(class_method_definition (simple_name) @name "{" @body) @method

; ---- Calls with a name and a function

; Describe 'a cart' { … }, It 'adds an item' { … }, of Pester
((command
   command_name: (command_name)
   command_elements: (command_elements .
     (command_argument_sep)
     . (array_literal_expression . (unary_expression . (string_literal) @name))
     (array_literal_expression (unary_expression (script_block_expression) @body)))) @call)

; ---- Members

(enum_member (simple_name) @member)

; ---- Functions and objects without a name

(script_block_expression) @closure

; ---- Comments

(comment) @doc

; What is a node in Perl.

$string = [(string_literal) (interpolated_string_literal)]

; ---- Types

; package Shop::Cart { … }, class and role with a block
((package_statement name: (package) @name (block) @body) @type (#set! name_scope "global"))
((class_statement name: (package) @name (block) @body) @type (#set! name_scope "global"))
((role_statement name: (package) @name (block) @body) @type (#set! name_scope "global"))

; { package Shop::Cart; … }: a block that begins with the package
([
   (block . (package_statement name: (package) @name) . (_)? @body)
   (block_statement . (package_statement name: (package) @name) . (_)? @body)
 ] @type
 (#set! name_scope "global"))

; ---- Functions

; sub add { … }, method add { … }
(subroutine_declaration_statement name: (_) @name body: (_) @body) @method
(method_declaration_statement name: (_) @name body: (_) @body) @method

; *add = sub { … };
((assignment_expression
   left: (glob (varname) @name)
   right: (anonymous_subroutine_expression body: (_) @body)) @method)

; my $add = sub { … }; of the file
((assignment_expression
   left: (variable_declaration variable: (scalar (varname) @name))
   right: (anonymous_subroutine_expression body: (_) @body)) @method
 (#has-parent? @method "source_file expression_statement"))

; ---- Calls with a name and a function

; subtest 'adds an item' => sub { … }; as a call with and without parentheses, and of an object
((ambiguous_function_call_expression
   (function)
   . $string @name
   (anonymous_subroutine_expression body: (_) @body)) @call
 (#has-parent? @call "expression_statement"))
((function_call_expression
   arguments: (list_expression . $string @name
     (anonymous_subroutine_expression body: (_) @body))) @call
 (#has-parent? @call "expression_statement"))
((method_call_expression
   arguments: (list_expression . $string @name
     (anonymous_subroutine_expression body: (_) @body))) @call
 (#has-parent? @call "expression_statement"))

; ---- Members

; use constant { MAX => 3 }; use constant MAX => 3;
(use_statement
  module: (package) @_module
  (anonymous_hash_expression (list_expression (autoquoted_bareword) @member))
  (#eq? @_module "constant"))
(use_statement
  module: (package) @_module
  (list_expression . (autoquoted_bareword) @member)
  (#eq? @_module "constant"))

; our $VERSION = '1.0';
(assignment_expression left: (variable_declaration "our" variable: (_ (varname) @member)))

; has size => (is => 'ro');
(ambiguous_function_call_expression
  function: (function) @_has
  . arguments: [(autoquoted_bareword) (string_literal)] @member
  (#eq? @_has "has"))

; ---- Functions and objects without a name

(anonymous_subroutine_expression) @closure

; ---- Comments

(comment) @doc

; POD belongs to the sub below it also across a blank line.
(pod) @doc @apart

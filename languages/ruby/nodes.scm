; What is a node in Ruby.

$name_or_constant = [(identifier) (constant)]

; A statement of the file, of a module or of a class, not of a method.
$class_level = (#has-parent? @method "program" "module body_statement" "class body_statement")

$test_level = (#has-parent? @call "program" "body_statement" "block_body")

; ---- Types

(module name: (_) @name) @type
(class name: (_) @name) @type

; Item = Struct.new(:name) do … end
(assignment
  left: (constant) @name
  right: (_
    receiver: (constant) @_class
    method: (identifier) @_new
    block: (_)? @body
    (#eq? @_new "new")
    (#any-of? @_class "Struct" "Class" "Data" "Module"))) @type

; Item = Data.define(:name)
(assignment
  left: (constant) @name
  right: (_
    receiver: (constant) @_class
    method: (identifier) @_new
    block: (_)? @body
    (#eq? @_new "define")
    (#eq? @_class "Data"))) @type

; ---- Functions

; def size = @items.size, then with a body: the signature of the first ends at `=`
(method name: (_) @name "=" @body) @method
(method name: (_) @name) @method

; def self.open, in both forms
(singleton_method name: (_) @name "=" @body) @method
(singleton_method name: (_) @name) @method

; define_method(:size) { … }
(call
  method: (identifier) @_define
  arguments: (_ . [(simple_symbol) (string)] @name)
  block: (_)? @body
  (#any-of? @_define "define_method" "define_singleton_method")) @method

; add = ->(item) { … }
((assignment left: $name_or_constant @name right: (lambda body: (_) @body)) @method
 $class_level)

; add = lambda { |item| … }
((assignment left: $name_or_constant @name
   right: (_ !receiver method: (identifier) @_kind block: (_) @body)) @method
 $class_level
 (#any-of? @_kind "lambda" "proc"))

; add = Proc.new { |item| … }
((assignment left: $name_or_constant @name
   right: (_ receiver: (constant) @_class method: (identifier) @_kind block: (_) @body)) @method
 $class_level
 (#eq? @_class "Proc")
 (#eq? @_kind "new"))

; ---- Calls with a name and a function

; it "adds an item" do … end
((call arguments: (_ . (string) @name) block: (_) @body) @call $test_level)

; describe Cart do … end
((call
   method: (identifier) @_word
   arguments: (_ . [(constant) (scope_resolution)] @name)
   block: (_) @body) @call
 $test_level
 (#any-of? @_word "describe" "context" "feature" "xdescribe" "fdescribe"))

; namespace :db do … end; not `before :each do … end`
((call
   method: (identifier) @_word
   arguments: (_ . (simple_symbol) @name)
   block: (do_block) @body) @call
 $test_level
 (#not-match? @_word "^(before|after|around|prepend_before|append_after)$"))

; ---- Members

(assignment left: (constant) @member)

; Names that these calls declare.
(call !receiver
  method: (identifier) @_word
  arguments: (_ (simple_symbol) @member)
  (#match? @_word
    "^([cm]?attr_(accessor|reader|writer)|attribute|class_attribute|delegate|scope|enum|store_accessor|belongs_to|has_(one|many|and_belongs_to_many)|has_(one|many)_attached)$"))

; alias total size, then alias_method :total, :size
(alias name: (_) @member)
(call
  method: (identifier) @_word
  arguments: (argument_list . (simple_symbol) @member)
  (#eq? @_word "alias_method"))

; Item = Struct.new(:name)
(call
  receiver: (constant) @_class
  method: (identifier) @_new
  arguments: (_ (simple_symbol) @member)
  (#any-of? @_class "Struct" "Data")
  (#any-of? @_new "new" "define"))

; ---- Comments

(comment) @doc

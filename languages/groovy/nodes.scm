; What is a node in Groovy.

; The grammar has no node for a class or a method: a command is read as words (`unit`) and blocks.
$type_keyword = (#any-of? @_k "class" "interface" "enum" "trait" "record" "@interface")

$no_statement = (#not-match? @name "^(if|for|while|switch|catch|synchronized|return|new|assert|throw)$")

; ---- Package

; package acme.shop
(command . (unit (identifier) @_k) . (unit) @name (#eq? @_k "package")) @package

; ---- Types

; class Cart {
(command
  (unit (identifier) @_k)
  . (unit . (identifier) @name .)
  (block "{" @body)
  $type_keyword) @type

; class Cart<T> {
(command
  (unit (identifier) @_k)
  . (unit . (generics_class . (identifier) @name))
  (block "{" @body)
  $type_keyword) @type

; class Cart { with the name in the block
(command
  (unit (identifier) @_k)
  . (block . (unit . (identifier) @name .) "{" @body)
  $type_keyword) @type
(command
  (unit (identifier) @_k)
  . (block . (unit . (generics_class . (identifier) @name)) "{" @body)
  $type_keyword) @type

; record Point(int x, int y) {
(command
  (unit (identifier) @_k)
  . (block . (unit . (func . (identifier) @name) .) "{" @body)
  $type_keyword) @type

; ---- Functions

; Line add(Item item) { … }, private add() { … }, task add() { … }
([
   (command
     (unit . (identifier) @_t .)
     . (block . (unit . (func . (identifier) @name) .) "{" @body))
   (end_command
     (unit . (identifier) @_t .)
     . (block . (unit . (func . (identifier) @name) .) "{" @body))
 ] @method
 (#match? @_t
   "^([A-Z][A-Za-z0-9_]*|def|var|void|int|long|short|byte|char|float|double|boolean|static|public|private|protected|final|synchronized|task)$")
 $no_statement)

; List<Line> all() { … }
([
   (command
     (unit (generics_class))
     . (block . (unit . (func . (identifier) @name) .) "{" @body))
   (end_command
     (unit (generics_class))
     . (block . (unit . (func . (identifier) @name) .) "{" @body))
 ] @method
 $no_statement)

; Cart(int size) { … }: a constructor begins with a capital letter
([
   (command . (block . (unit . (func . (identifier) @name) .) "{" @body))
   (end_command . (block . (unit . (func . (identifier) @name) .) "{" @body))
 ] @method
 (#match? @name "^[A-Z]"))

; def (a, b) = split() { … }
((command (unit) (list) . (block . (unit . (func . (identifier) @name) .) "{" @body)) @method)

; def "adds an item"() { … }, of Spock, also behind an annotation
((command (unit . (identifier) @_t .) . (block . (string) @name "{" @body)) @method
 (#match? @_t "^(def|void)$"))
((command (decorate) (ERROR) @_t . (block . (string) @name "{" @body)) @method
 (#match? @_t "(def|void)$"))

; ---- Members

; String owner, static final int MAX = 3, int width, height, def label = { … }
$after = ["\n" ";" (operators) (arg_spliter) (block . (operators))]
$name = (unit . (identifier) @member .)
((command (unit (identifier) @_k) (block "{" (command (unit) . $name . $after))) $type_keyword)
((command (unit (identifier) @_k) (block "{" (end_command (unit) . $name . $after))) $type_keyword)
((command (unit (identifier) @_k) (block "{" (end_command (unit) . $name .))) $type_keyword)

; int[] sizes, int width, height
((command (unit (identifier) @_k) (block "{" (command (list) . $name . $after))) $type_keyword)
((command (unit (identifier) @_k) (block "{" (command (arg_spliter) . $name . $after)))
 $type_keyword)

; SMALL, LARGE(2) in an enum
$constant = [(unit . (identifier) @member .) (unit . (func . (identifier) @member))]
((command (unit (identifier) @_k) (block "{" (command . $constant . (arg_spliter))))
 (#eq? @_k "enum"))
((command (unit (identifier) @_k) (block "{" (end_command . $constant . (arg_spliter))))
 (#eq? @_k "enum"))
((command (unit (identifier) @_k) (block "{" (command (arg_spliter) . $constant)))
 (#eq? @_k "enum"))
((command (unit (identifier) @_k) (block "{" (end_command (arg_spliter) . $constant)))
 (#eq? @_k "enum"))

; ---- Calls with a name and a function

; test("adds an item") { … }
(command . (block . (unit (func (arg_block . (string) @name)) .) "{" @body)) @call

; ---- Functions and objects without a name

; dependencies { … }
(command . (block . (unit . (identifier) .) "{" @body)) @closure

; ---- Comments

[(line_comment) (block_comment)] @doc

; An annotation on a line of its own.
(command . (decorate) . [(line_comment) (block_comment)]* .) @doc

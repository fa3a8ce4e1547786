; What is a node in Zig.

; ---- Types

; const Cart = struct { … };
(Decl
  (VarDecl
    variable_type_function: (IDENTIFIER) @name
    (ErrorUnionExpr (SuffixExpr . [(ContainerDecl) (ErrorSetDecl)] @body .)))) @type

; fn List(comptime T: type) type { … }: a function that returns a type
((Decl
   (FnProto
     function: (IDENTIFIER) @name
     (ErrorUnionExpr (SuffixExpr . (BuildinTypeExpr) @_type .)))
   (Block) @body) @type
 (#eq? @_type "type"))

; ---- Functions

(Decl (FnProto function: (IDENTIFIER) @name) (Block)? @body) @method

; test "adds an item" { … }
(TestDecl [(STRINGLITERALSINGLE) (IDENTIFIER)] @name (Block) @body) @method

; ---- Comments

[(line_comment) (doc_comment)] @doc

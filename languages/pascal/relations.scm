; What the nodes of Pascal call, use, inherit and import.

; Add(Item)
(exprCall entity: (identifier) @calls)

; Add; as a statement
(statement (identifier) @calls)

; Store.Size
(exprDot) @accesses

; A name alone, where it is read.
[
  (exprArgs (identifier) @mentions)
  (assignment rhs: (identifier) @mentions)
  (exprBinary (identifier) @mentions)
  (exprDot lhs: (identifier) @mentions)
  (exprBrackets (identifier) @mentions)
  (exprUnary (identifier) @mentions)
  (exprSubscript (identifier) @mentions)
  (exprParens (identifier) @mentions)
  (caseLabel (identifier) @mentions)
]

; class(TBase), class(TList<TItem>)
(_ parent: (typeref [(identifier) @inherits (typerefTpl entity: (identifier) @inherits)]))

; A type by its name, with type arguments, behind `^`.
[
  (typeref (identifier) @uses)
  (typerefTpl entity: (identifier) @uses)
  (typerefArgs (identifier) @uses)
  (typerefPtr operand: (identifier) @uses)
]

; read FSize write SetSize
[(declProp getter: (identifier) @attributes) (declProp setter: (identifier) @attributes)]

; Item is TItem, Item as TItem
[(exprBinary operator: [(kIs) (kAs)] rhs: (identifier) @uses) (exprTpl (identifier) @uses)]

; uses Shop.Stock;
(declUses (moduleName) @module)

; Item: TItem as a parameter, a variable, a field, a property.
(declArg name: (identifier) @parameter type: (type) @bound)
[
  (declVar name: (identifier) @binds type: (type) @bound)
  (declField name: (identifier) @binds type: (type) @bound)
  (declProp name: (identifier) @binds type: (_) @bound)
]

; Store := TStore.Create
(assignment
  lhs: (identifier) @binds
  rhs: [
    (exprCall entity: (exprDot lhs: (identifier) @constructed))
    (exprDot lhs: (identifier) @constructed)
  ])

; function Add: TLine
(declProc type: (typeref) @returns)

; A modifier that says who sees a declaration.
(declSection [(kPublic) (kPrivate) (kProtected) (kPublished)] @visibility)

; What is a node in Pascal.

; ---- Package

; unit Shop.Cart;
([(kUnit) (kProgram) (kLibrary)] . (moduleName) @name @package)

; ---- Types

; TCart = class … end, interface, class helper
(declType
  name: (_) @name
  type: [
    (declClass
      [
        (declField)
        (declVariant)
        (declSection)
        (declProc)
        (declProp)
        (declConsts)
        (declTypes)
        (declVars)
        (comment)
        (pp)
        (kEnd)
      ] @body)
    (declIntf [(guid) (declSection) (declProc) (declProp) (comment) (pp) (kEnd)] @body)
    (declHelper
      [
        (declField)
        (declSection)
        (declProc)
        (declProp)
        (declConsts)
        (declTypes)
        (declVars)
        (comment)
        (pp)
        (kEnd)
      ] @body)
  ]) @type

; EEmpty = class(Exception);
(declType name: (_) @name type: (declClass parent: (typeref) .)) @type

; TPrices = array of Integer;
(declType name: (_) @name type: (type)) @type

; ---- Functions

; procedure TCart.Add; begin … end;
(defProc header: (declProc name: (_) @name) . (_) @body) @method

; procedure Add; as it is declared
(declProc name: (_) @name) @method

; ---- Members

(declEnumValue name: (identifier) @member)
(declConst name: (identifier) @member)
(declField name: (identifier) @member)
(declProp name: (identifier) @member)

; ---- Comments

(comment) @doc

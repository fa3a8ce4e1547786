// Reads {path: text} as JSON, writes [path, line, kind, name] of each declaration as JSON.
// NODE_PATH names the folder of TypeScript's compiler.
const ts = require("typescript");

const CLASSES = new Set([
  ts.SyntaxKind.ClassDeclaration,
  ts.SyntaxKind.InterfaceDeclaration,
  ts.SyntaxKind.EnumDeclaration,
  ts.SyntaxKind.TypeAliasDeclaration,
]);
const METHODS = new Set([
  ts.SyntaxKind.FunctionDeclaration,
  ts.SyntaxKind.MethodDeclaration,
  ts.SyntaxKind.GetAccessor,
  ts.SyntaxKind.SetAccessor,
]);

function kindOf(node) {
  if (CLASSES.has(node.kind)) return "class";
  if (METHODS.has(node.kind)) return "method";
  const value = node.initializer;
  const holds = ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node);
  if (holds && value && (ts.isArrowFunction(value) || ts.isFunctionExpression(value)))
    return "method";
  return null;
}

function collectDeclarations(file, declarations, path) {
  const visit = (node, scope) => {
    const kind = node.name && ts.isIdentifier(node.name) ? kindOf(node) : null;
    if (kind) {
      const line = file.getLineAndCharacterOfPosition(node.name.getStart(file)).line + 1;
      const name = [...scope, node.name.text];
      declarations.push([path, line, kind, name.join(".")]);
      if (kind === "class") node.forEachChild((child) => visit(child, name));
      return; // declarations in a function are part of it
    }
    // so are those in an object literal
    if (ts.isFunctionLike(node) || ts.isObjectLiteralExpression(node)) return;
    const named =
      ts.isModuleDeclaration(node) &&
      !(node.flags & ts.NodeFlags.GlobalAugmentation) &&
      node.name.text;
    node.forEachChild((child) => visit(child, named ? [...scope, named] : scope));
  };
  visit(file, []);
}

const declarations = [];
for (const [path, text] of Object.entries(JSON.parse(require("fs").readFileSync(0, "utf8"))))
  collectDeclarations(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true), declarations, path);
process.stdout.write(JSON.stringify(declarations));

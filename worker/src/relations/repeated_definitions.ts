/**
 * Which nodes of a name are no definition of their own: a declaration in a header, a constructor, a section, a call
 * that its argument names.
 */

import { constants } from "../../build/worker_data.json";
import { fullMatch, Pattern } from "../python_regex.ts";
import { rpartition } from "../python_strings.ts";
import { isDeclarationFile } from "../ranking/name_matching.ts";
import type { Hit } from "../store/hits.ts";
import { traits } from "../traits.ts";

const { QUOTES } = constants.repeated_definitions;
const DEFINED_IN_HEADER = new Pattern(constants.repeated_definitions.DEFINED_IN_HEADER_PATTERN);
const CALL = new Pattern(fullMatch(constants.repeated_definitions.CALL_PATTERN));

/**
 * The nodes of code, if there are any; of a class and its constructor only the class.
 *
 * Nodes that are named by an argument, such as tests, count only if there are no others.
 */
export function withoutSectionsAndConstructors(hits: readonly Hit[]): readonly Hit[] {
  const code = hits.filter((hit) => hit.symbol || !hit.logicalPath);
  const declarations = code.filter((hit) => !isNamedByArgument(hit));
  const nodes = [declarations, code, hits].find((some) => some.length > 0) ?? [];
  const classes = new Set(nodes.filter((hit) => hit.nodeType === "class").map((hit) => `${hit.path}\0${hit.symbol}`));
  return nodes.filter((hit) => !classes.has(`${hit.path}\0${constructedSymbol(hit)}`));
}

/** Drops declarations in headers and stub files if the definition itself is a hit too. */
export function withoutDeclarations(hits: readonly Hit[]): readonly Hit[] {
  const outside = hits.filter((hit) => !isDeclarationFile(hit.path));
  const defined = new Set(outside.filter((hit) => !hasInternalLinkage(hit)).map(symbolKey));
  const stems = new Set(outside.map((hit) => fileStem(hit.path)));
  return hits.filter((hit) => !defined.has(symbolKey(hit)) || !declares(hit, stems));
}

/**
 * Returns true if a node of a header or a stub file declares what a file of these stems defines.
 *
 * A header may also define: types, inline functions, and members of a class of its own.
 */
function declares(hit: Hit, stems: ReadonlySet<string>): boolean {
  if (!isDeclarationFile(hit.path)) return false;
  if (traits(hit.language).family !== "c") return true;
  const isMember = (hit.symbol ?? "").includes(".");
  const defines = DEFINED_IN_HEADER.test(hit.signature ?? "");
  return hit.nodeType === "method" && !defines && (!isMember || stems.has(fileStem(hit.path)));
}

/** Returns true for a function of C that is known in its file alone. */
function hasInternalLinkage({ language, signature }: Hit): boolean {
  return traits(language).family === "c" && (signature ?? "").startsWith("static ");
}

function symbolKey({ symbol, nodeType }: Hit): string {
  return JSON.stringify([symbol, nodeType]);
}

/** A file's name up to its first dot: `cart` for `shop/cart.h` and `shop/cart.cc`. */
export function fileStem(path: string): string {
  return rpartition(path, "/")[1].split(".", 1)[0]!;
}

/**
 * Returns true for a call with a block, such as `describe "add" do` or `it("add", …)`.
 *
 * Its argument is its name in the index, but code with that name does not refer to it.
 */
export function isNamedByArgument(node: Pick<Hit, "language" | "nodeType" | "symbol" | "signature">): boolean {
  const { language, nodeType, symbol, signature } = node;
  if (nodeType !== "method" || !signature) return false;
  const { definingCalls } = traits(language);
  if (definingCalls) return !new RegExp(`^(?:${definingCalls})`).test(signature);
  const name = rpartition(symbol ?? "", ".")[1] || "."; // a sentence may end with a dot
  return QUOTES.some((quote) => {
    const at = signature.indexOf(name + quote);
    return at >= 0 && CALL.test(signature.slice(0, at));
  });
}

/** The class of a constructor that is called like it, as `Cart` of `Cart.Cart`. */
function constructedSymbol(hit: Hit): string {
  const [outer, name] = rpartition(hit.symbol ?? "", ".");
  return rpartition(outer, ".")[1] === name ? outer : "";
}

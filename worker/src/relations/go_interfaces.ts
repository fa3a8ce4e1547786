/**
 * Decides which types of Go implement an interface: those with all of its methods. Mirrors
 * `feeder.relations.go_interfaces`.
 *
 * Start with `GoTypes.implements`.
 */

import { constants } from "../../build/worker_data.json";
import { matchAtStart, Pattern } from "../python_regex.ts";
import { compareText, rpartition, split, strip } from "../python_strings.ts";
import type { JoinedBatches } from "../store/joined_batches.ts";
import { INHERITS } from "../relation.ts";
import { decodeRelations, type GoNode, goNode, goNodesOfTypes, goTypesEmbedding, sortNodes } from "../store/relations.ts";
import { dirname } from "../posix_paths.ts";

const { MAX_GO_TYPES, MAX_EMBEDDED, MAX_EMBEDDING_DEPTH } = constants.go_interfaces;
const { MAX_GO_ROWS } = constants.go_relations;
const RECEIVER = new Pattern(constants.go_interfaces.RECEIVER_PATTERN);
const PACKAGE = new Pattern(constants.go_interfaces.PACKAGE_PATTERN, "g");
const NAMED_PARAMETER = new Pattern(matchAtStart(constants.go_interfaces.NAMED_PARAMETER_PATTERN));
const TYPE_PARAMETER = new Pattern(constants.go_interfaces.TYPE_PARAMETER_PATTERN);
const INTERFACE = new Pattern(constants.go_interfaces.INTERFACE_PATTERN);
const EMPTY_INTERFACE = new Pattern(constants.go_interfaces.EMPTY_INTERFACE_PATTERN, "g");
const NAMED_TYPE = new Pattern(constants.go_interfaces.NAMED_TYPE_PATTERN);
const [OPENING, CLOSING] = ["([{", ")]}"];

/** The types of a method's parameters and of its results. */
type Types = readonly [parameters: readonly string[], results: readonly string[]];

/** Whether a type implements an interface, as far as the index tells. */
export type Implements = "YES" | "UNKNOWN" | "NO";

/** A type by its folder, which is its package, and its symbol. */
export interface TypePlace {
  readonly folder: string;
  readonly symbol: string;
}

/**
 * The methods of a type with those of embedded ones; null for types that are not known.
 *
 * A method with a small letter has its folder before the name, since other packages cannot have it. The set is
 * complete if the index has all embedded types, and no type that another one defines, as in `type Key Event`: of these
 * only their own methods are known.
 */
interface MethodSet {
  readonly methods: ReadonlyMap<string, Types | null>;
  readonly isComplete: boolean;
}

/** A type with the methods that are declared for it. */
class GoType {
  readonly nodes: GoNode[] = [];
  readonly methods = new Map<string, Types | null>();

  constructor(readonly place: TypePlace) {}

  get isInterface(): boolean {
    return this.nodes.some(({ signature }) => INTERFACE.test(signature));
  }

  /** Returns true if a node declares it, and not by another type. */
  get isKnown(): boolean {
    return this.nodes.some(({ signature }) => !NAMED_TYPE.test(signature));
  }

  /** The package as written, empty for its own one, and the name of each embedded type. */
  embedded(): [qualifier: string, name: string][] {
    const relations = this.nodes.flatMap((node) => decodeRelations(node).filter(({ kind }) => kind === INHERITS));
    return relations.map(({ qualifier, name }) => [qualifier, name]);
  }
}

/** Reads types of Go with their methods, each once. */
export class GoTypes {
  readonly #read = new Map<string, Promise<void>>();
  readonly #types = new Map<string, GoType>();
  readonly #ofSymbol = new Map<string, GoType[]>();
  readonly #methodSets = new Map<string, MethodSet>();
  /** True if types have too many methods to be read, so that they are not compared. */
  isCut = false;

  constructor(
    private readonly database: JoinedBatches,
    private readonly repo: string,
  ) {}

  /** Reads types by their symbols, then those that they embed, level by level. */
  async load(symbols: readonly string[]): Promise<void> {
    let level = [...new Set(symbols)].slice(0, MAX_GO_TYPES);
    const seen = new Set(level);
    for (let depth = 0; depth < MAX_EMBEDDING_DEPTH && level.length > 0; depth += 1) {
      const missing = level.filter((symbol) => !this.#read.has(symbol));
      const reading = missing.length > 0 ? this.#loadLevel(missing) : Promise.resolve();
      for (const symbol of missing) this.#read.set(symbol, reading);
      await Promise.all(level.map((symbol) => this.#read.get(symbol)));
      const embedded = level.flatMap((symbol) => this.#embeddedSymbols(symbol));
      level = [...new Set(embedded)].filter((symbol) => !seen.has(symbol)).slice(0, MAX_GO_TYPES);
      for (const symbol of level) seen.add(symbol);
    }
  }

  async #loadLevel(symbols: readonly string[]): Promise<void> {
    const [rows = []] = await this.database.run([goNodesOfTypes(this.repo, symbols)]);
    this.#methodSets.clear();
    if (rows.length > MAX_GO_ROWS) {
      this.isCut = true;
      return; // methods may be missing
    }
    const requested = new Set(symbols);
    for (const node of sortNodes(rows.map(goNode))) {
      const symbol = node.symbol ?? "";
      const [outer, name] = rpartition(symbol, ".");
      const isType = node.nodeType === "class";
      const owner = isType ? symbol : outer;
      if (!requested.has(owner)) continue;
      const type = this.#typeAt({ folder: dirname(node.path), symbol: owner });
      if (isType) type.nodes.push(node);
      else type.methods.set(keyOf(type.place.folder, name), methodTypes(name, node.signature));
    }
  }

  #typeAt(place: TypePlace): GoType {
    const known = this.#types.get(keyOfPlace(place));
    if (known) return known;
    const type = new GoType(place);
    this.#types.set(keyOfPlace(place), type);
    this.#ofSymbol.set(place.symbol, [...(this.#ofSymbol.get(place.symbol) ?? []), type]);
    return type;
  }

  #embeddedSymbols(symbol: string): string[] {
    const [packageName] = rpartition(symbol, ".");
    const types = this.#ofSymbol.get(symbol) ?? [];
    return types.flatMap((type) => type.embedded().map(([qualifier, name]) => `${qualifier || packageName}.${name}`));
  }

  /** The node that declares a type, if it is no interface. */
  node(place: TypePlace): GoNode | null {
    const type = this.#types.get(keyOfPlace(place));
    return (type && !type.isInterface && type.nodes[0]) || null;
  }

  /** The types with a symbol that have been read. */
  places(symbol: string): TypePlace[] {
    return (this.#ofSymbol.get(symbol) ?? []).map(({ place }) => place);
  }

  /** Returns true if a type that has been read is an interface. */
  isInterface(place: TypePlace): boolean {
    return this.#types.get(keyOfPlace(place))?.isInterface ?? false;
  }

  /** The methods of a type; each embedded type is followed once, whatever embeds it. */
  methodSet(place: TypePlace): MethodSet {
    const key = keyOfPlace(place);
    const known = this.#methodSets.get(key) ?? this.#findMethods(place);
    this.#methodSets.set(key, known);
    return known;
  }

  #findMethods(place: TypePlace): MethodSet {
    const methods = new Map<string, Types | null>();
    let isComplete = true;
    const followed = new Map([[keyOfPlace(place), place]]);
    for (const current of followed.values()) {
      const type = this.#types.get(keyOfPlace(current));
      isComplete &&= type?.isKnown ?? false;
      if (!type) continue;
      // that of the outer type counts
      for (const [key, types] of type.methods) if (!methods.has(key)) methods.set(key, types);
      for (const [qualifier, name] of type.embedded()) {
        const embedded = this.#embeddedPlace(current, qualifier, name);
        if (embedded) followed.set(keyOfPlace(embedded), embedded); // a known one keeps its position
        else if (qualifier || name !== "error") isComplete = false;
        else if (!methods.has("Error")) methods.set("Error", [[], ["string"]]);
      }
    }
    return { methods, isComplete };
  }

  /** The embedded type; undefined if the index does not have it, or several. */
  #embeddedPlace(outer: TypePlace, qualifier: string, name: string): TypePlace | undefined {
    if (!qualifier) {
      const place = { folder: outer.folder, symbol: `${rpartition(outer.symbol, ".")[0]}.${name}` };
      return this.#types.has(keyOfPlace(place)) ? place : undefined;
    }
    const places = this.places(`${qualifier}.${name}`);
    return places.length === 1 ? places[0] : undefined;
  }

  /** Returns true if a type has a method of each name that an interface has; at least one. */
  hasNames(place: TypePlace, interfacePlace: TypePlace): boolean {
    const required = [...this.methodSet(interfacePlace).methods.keys()];
    const own = this.methodSet(place).methods;
    return required.length > 0 && required.every((key) => own.has(key));
  }

  /**
   * Tells whether a type has all methods of an interface.
   *
   * Unknown if the index lacks an embedded type, or if the types of a method are as many but written otherwise, such
   * as under another name.
   */
  implements(place: TypePlace, interfacePlace: TypePlace): Implements {
    const [own, required] = [this.methodSet(place), this.methodSet(interfacePlace)];
    const isMissing = [...required.methods.keys()].some((key) => !own.methods.has(key));
    if (isMissing && own.isComplete) return "NO";
    const results = [...required.methods].flatMap(([key, types]) => {
      return own.methods.has(key) ? [compareTypes(own.methods.get(key)!, types)] : [];
    });
    if (results.includes("NO")) return "NO";
    const isKnown = !isMissing && required.isComplete && required.methods.size > 0;
    return isKnown && !results.includes("UNKNOWN") ? "YES" : "UNKNOWN";
  }

  /**
   * The symbols of types that embed one of some types, or a type that does.
   *
   * Empty for more types than `MAX_EMBEDDED`.
   */
  async symbolsEmbedding(symbols: readonly string[]): Promise<string[]> {
    const found = new Set<string>();
    let names = new Set(symbols.map((symbol) => rpartition(symbol, ".")[1]));
    const followed = new Set(names);
    for (let depth = 0; depth < MAX_EMBEDDING_DEPTH; depth += 1) {
      if (names.size === 0 || followed.size > MAX_EMBEDDED) break;
      const [rows = []] = await this.database.run([goTypesEmbedding(this.repo, [...names].sort(compareText))]);
      const embedding = rows.map(([symbol]) => String(symbol)).sort(compareText);
      for (const symbol of embedding) found.add(symbol);
      names = new Set(embedding.map((symbol) => rpartition(symbol, ".")[1]).filter((name) => !followed.has(name)));
      for (const name of names) followed.add(name);
    }
    return [...found];
  }
}

/** The types of a method by its signature; null if the index cut it. */
function methodTypes(name: string, signature: string): Types | null {
  if (signature.endsWith("…")) return null;
  const text = signature.replace(RECEIVER.for(signature), "");
  const at = text.indexOf(name);
  const afterName = at < 0 ? "" : text.slice(at + name.length);
  const end = endOfList(afterName);
  let results = strip(afterName.slice(end));
  if (results.startsWith("(")) results = results.slice(1, endOfList(results) - 1);
  return [typesOf(afterName.slice(1, end - 1)), typesOf(results)];
}

function keyOfPlace({ folder, symbol }: TypePlace): string {
  return `${folder}\0${symbol}`;
}

function keyOf(folder: string, name: string): string {
  return /^\p{Lu}/u.test(name) ? name : `${folder}/${name}`;
}

/**
 * Compares types of methods; unknown if they are as many but written otherwise.
 *
 * A single capital letter is a type parameter, which may be any type.
 */
function compareTypes(own: Types | null, required: Types | null): Implements {
  if (own === null || required === null) return "UNKNOWN";
  if (own.some((list, at) => list.length !== required[at]!.length)) return "NO";
  const pairs = own.flatMap((list, at) => list.map((type, index): [string, string] => [type, required[at]![index]!]));
  const differing = pairs.filter(([left, right]) => left !== right);
  return differing.every((pair) => pair.some((type) => TYPE_PARAMETER.test(type))) ? "YES" : "UNKNOWN";
}

/** The types of a list of parameters or results, such as `a, b int, next http.Handler`. */
function typesOf(listed: string): string[] {
  const parts = splitList(listed).map((part) => split(part).join(" "));
  if (!parts.some((part) => NAMED_PARAMETER.test(part))) return parts.map(plainType);
  const types: string[] = [];
  for (const part of parts.reverse()) {
    // a name without a type has that of the next one
    const named = NAMED_PARAMETER.for(part).exec(part);
    types.push(named ? part.slice(named[0].length) : (types.at(-1) ?? part));
  }
  return types.reverse().map(plainType);
}

/** A type without packages; of a function only that it is one, as its parameters have names. */
function plainType(type: string): string {
  const unqualified = type.replace(PACKAGE.for(type), "");
  const text = unqualified.replace(EMPTY_INTERFACE.for(unqualified), "any");
  const at = text.indexOf("func(");
  return at < 0 ? text : `${text.slice(0, at)}func`;
}

/** The parts between commas outside of brackets. */
function splitList(listed: string): string[] {
  const parts: string[] = [];
  let [depth, first] = [0, 0];
  for (let at = 0; at < listed.length; at += 1) {
    depth += depthChange(listed[at]!);
    if (listed[at] !== "," || depth !== 0) continue;
    parts.push(listed.slice(first, at));
    first = at + 1;
  }
  const last = listed.slice(first);
  return strip(last) ? [...parts, last] : parts;
}

/** The offset after the list in brackets with which a text begins. */
function endOfList(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    depth += depthChange(text[at]!);
    if (depth === 0) return at + 1;
  }
  return text.length;
}

function depthChange(character: string): number {
  return Number(OPENING.includes(character)) - Number(CLOSING.includes(character));
}

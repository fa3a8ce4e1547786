/** What code asks about a language in place of its name; mirrors `feeder.traits`. */

import data from "../build/worker_data.json";
import { camelCase } from "./text.ts";

/** The traits of a language; a language without any has the values of `DEFAULT`. */
export interface Traits {
  readonly family: string;
  readonly imports: string;
  readonly importedReceivers: boolean;
  readonly reexports: boolean;
  readonly addingBlock: string;
  readonly caseInsensitive: boolean;
  readonly packageScope: string;
  readonly globalScope: boolean;
  readonly implicitReceiver: boolean;
  readonly lendsReceivers: boolean;
  readonly lendingCalls: readonly string[];
  readonly splitTypes: boolean;
  readonly methodFirst: boolean;
  readonly redeclaresNames: boolean;
  readonly baseReceiver: string;
  readonly variableSigil: string;
  readonly builtinTypes: readonly string[];
  readonly functionsApart: boolean;
  readonly filePrivate: boolean;
  readonly unseenImplementations: string;
  readonly structuralInterfaces: boolean;
  readonly nearestTypes: boolean;
  readonly methodsByPath: boolean;
  readonly redeclaredFields: boolean;
  readonly extensionReceivers: boolean;
  readonly functionWord: string;
  readonly nameEndings: string;
  readonly nameSigil: string;
  readonly setterEnding: string;
  readonly openEnums: string;
  readonly globalNames: string;
  readonly attributeEnding: string;
  readonly cascades: boolean;
  readonly methodAliases: boolean;
  readonly definingCalls: string;
  readonly omitsParameters: boolean;
  readonly constructor: string;
  readonly baseConstructors: readonly string[];
  readonly unindexedMembers: string;
  readonly onlyImports: boolean;
  readonly syntaxCalls: Readonly<Record<string, string>>;
  readonly hasRelations: boolean;
}

const { default: written, ...languages } = data.traits;
const DEFAULT = withCamelCase(written) as unknown as Traits;
const BY_LANGUAGE = new Map(
  Object.entries(languages).map(([language, own]) => [language, { ...DEFAULT, ...withCamelCase(own) }]),
);

/** The traits of a shipped language; an unknown one has the default values. */
export function traits(language: string | null): Traits {
  return BY_LANGUAGE.get(language ?? "") ?? DEFAULT;
}

function withCamelCase(own: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(own).map(([key, value]) => [camelCase(key), value]));
}

/** Returns true if code of one language can refer to names of another one. */
export function areCompatible(language: string | null, other: string): boolean {
  if (language === other) return true;
  const { family } = traits(language);
  return family !== "" && family === traits(other).family;
}

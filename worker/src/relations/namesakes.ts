/**
 * A definition among all those that have its name, and what a name means if it is not this one. Mirrors
 * `feeder.relations.namesakes`.
 */

import { rpartition } from "../python_strings.ts";
import { lastName } from "../text.ts";
import type { FileFacts } from "./file_facts.ts";
import { type Definition, isSameDefinition, typeKey } from "./modules.ts";
import { elsewhere, type Resolution } from "./outcomes.ts";

/**
 * A definition, and `others`: all definitions of its name, the definition itself among them. `isUnique` tells whether no
 * other file can see another one.
 */
export class Namesakes {
  readonly isUnique: boolean;
  readonly #isUniqueOutside: boolean;
  readonly #ownersOfNested: ReadonlySet<string>;

  constructor(
    readonly definition: Definition,
    readonly others: readonly Definition[],
  ) {
    const shared = others.filter(({ isLocal }) => !isLocal);
    const nested = shared.filter(({ isType, owner }) => isType && owner);
    this.isUnique = isOne(shared);
    this.#isUniqueOutside = isOne(shared.filter((one) => !nested.includes(one) || isSameDefinition(one, definition)));
    this.#ownersOfNested = new Set(nested.map(({ owner }) => owner));
  }

  /** The first other definition that matches, as what a site refers to instead. */
  another(matches: (one: Definition) => boolean): Resolution {
    const others = this.others.filter((one) => !isSameDefinition(one, this.definition));
    return elsewhere("ANOTHER_DEFINITION", others.find(matches));
  }

  /** The member of another type, by the type's last name. */
  anotherOfType(typeName: string): Resolution {
    const name = lastName(typeName);
    return this.another(({ owner }) => lastName(owner) === name);
  }

  /** Returns true if a type defines a member of this name. */
  hasMember(typeName: string): boolean {
    return this.others.some((one) => rpartition(one.owner, ".")[1] === typeName);
  }

  /**
   * Returns true if a name alone can mean no other definition in a file.
   *
   * `Iterator` is `SkipList.Iterator` only inside of `SkipList` and of types that extend it.
   */
  isOnlyOneIn(facts: FileFacts): boolean {
    return this.isUnique || (this.#isUniqueOutside && ![...this.#ownersOfNested].some((one) => facts.seesInside(one)));
  }
}

function isOne(definitions: readonly Definition[]): boolean {
  return new Set(definitions.map(({ path, symbol }) => typeKey(path, symbol))).size <= 1;
}

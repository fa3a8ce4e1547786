/** Compares the packages of Go by their names, where no import leads to a definition's folder. */

import { partition } from "../python_strings.ts";
import type { FileFacts } from "./file_facts.ts";
import { type Definition, packageOf } from "./modules.ts";
import { elsewhere, possible, type Resolution, resolvedIf } from "./outcomes.ts";

/**
 * Compares a receiver of Go with a definition's package by name, if no import leads there.
 *
 * A package may have another name than its folder: `package yaml` in `go-yaml/`. The path of the root's package is not
 * known, so the name alone decides there. The answer is `possible` if the definition's file does not tell its package,
 * or the imports do not tell the receiver's.
 */
export function goPackageRefers(
  definition: Definition,
  facts: FileFacts,
  receiver: string,
  isInImport: boolean,
): Resolution {
  const [packageName] = partition(packageOf(definition), ".");
  if (receiver.includes(".") || receiver.endsWith("()") || (packageName && receiver !== packageName)) {
    return elsewhere("ANOTHER_MODULE");
  }
  const isImported = facts.importedPackages.has(receiver);
  if (!definition.path.includes("/")) {
    if (isImported) return resolvedIf(packageName !== "", "MODULE");
    return packageName ? possible("MODULE") : elsewhere("ANOTHER_MODULE");
  }
  if (isImported) return elsewhere("ANOTHER_MODULE");
  if (packageName) return resolvedIf(isInImport, "MODULE");
  return isInImport ? possible("MODULE") : elsewhere("ANOTHER_MODULE");
}

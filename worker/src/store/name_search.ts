/** Rows of the statements that search nodes by name. */

/** A node found by name, with the columns that break ties. */
export interface NameMatch {
  id: string;
  name: string;
  members: string;
  nodeType: string;
  path: string;
  startLine: number;
  lines: number;
  /** 1 for a block that adds to a type: Rust's `impl`, Swift's `extension`. */
  isExtension: number;
}

/** The nodes in the rows of a name statement. */
export function nameMatches(rows: readonly (readonly unknown[])[]): NameMatch[] {
  return rows.map(
    ([id, name, members, nodeType, path, startLine, lines, isExtension]) =>
      ({ id, name, members, nodeType, path, startLine, lines, isExtension }) as NameMatch, // as selected
  );
}

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
}

/** The nodes in the rows of a name statement. */
export function nameMatches(rows: readonly (readonly unknown[])[]): NameMatch[] {
  return rows.map(
    ([id, name, members, nodeType, path, startLine, lines]) =>
      ({ id, name, members, nodeType, path, startLine, lines }) as NameMatch, // as selected
  );
}

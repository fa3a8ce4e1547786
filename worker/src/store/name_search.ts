/** Rows of the statements that search nodes by name. */

/** A node found by name, with the columns that break ties. */
export interface NamedNode {
  id: string;
  name: string;
  members: string;
  nodeType: string;
  path: string;
  startLine: number;
  lines: number;
}

/** The nodes in the rows of a name statement. */
export function namedNodes(rows: readonly (readonly unknown[])[]): NamedNode[] {
  return rows.map(
    ([id, name, members, nodeType, path, startLine, lines]) =>
      ({ id, name, members, nodeType, path, startLine, lines }) as NamedNode, // as selected
  );
}

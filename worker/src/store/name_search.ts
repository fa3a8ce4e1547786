/** Rows of the statements that search nodes by name. */

/** A node by what it is called, and what puts equal names in order. */
export interface NamedNode {
  id: string;
  name: string;
  members: string;
  nodeType: string;
  path: string;
  startLine: number;
  lines: number;
}

/** What these statements answer. */
export function namedNodes(rows: readonly (readonly unknown[])[]): NamedNode[] {
  return rows.map(
    ([id, name, members, nodeType, path, startLine, lines]) =>
      ({ id, name, members, nodeType, path, startLine, lines }) as NamedNode, // as selected
  );
}

/**
 * Tells whether the index has a file, or a path with some end. Mirrors `feeder.relations.indexed_paths`.
 *
 * `hasEnd` and `hasFile` answer from what has been read, false for others; `read` reads what they lacked.
 */

import type { JoinedBatches } from "../store/joined_batches.ts";
import { existingFiles, existingPaths, isSearchable, pathQuery } from "../store/relations.ts";

export class IndexedPaths {
  readonly #isEnd = new Map<string, boolean>();
  readonly #isFile = new Map<string, boolean>();
  #lackingEnds = new Set<string>();
  #lackingFiles = new Set<string>();

  constructor(
    private readonly database: JoinedBatches,
    private readonly repo: string,
  ) {}

  /** Returns true if the index has a path with one of some ends, of three names at most. */
  hasEnd(ends: readonly string[]): boolean {
    const words = ends.map((end) => end.replace(/^\/+|\/+$/g, "").split("/").slice(-3).join("/"));
    const searchable = words.filter(isSearchable);
    for (const one of searchable) if (!this.#isEnd.has(one)) this.#lackingEnds.add(one);
    return searchable.some((one) => this.#isEnd.get(one) ?? false);
  }

  /** Returns true if the index knows a file, read or skipped. */
  hasFile(path: string): boolean {
    const isFile = this.#isFile.get(path);
    if (isFile === undefined) this.#lackingFiles.add(path);
    return isFile ?? false;
  }

  /** Reads what was lacking; false if nothing was. */
  async read(): Promise<boolean> {
    const ends = [...this.#lackingEnds];
    const files = [...this.#lackingFiles];
    this.#lackingEnds = new Set();
    this.#lackingFiles = new Set();
    if (ends.length + files.length === 0) return false;
    const [[ofEnds = []], [ofFiles = []]] = await Promise.all([
      this.database.run(ends.length > 0 ? [existingPaths(this.repo, ends.map(pathQuery))] : []),
      this.database.run(files.length > 0 ? [existingFiles(this.repo, files)] : []),
    ]);
    const existing = new Set(ofEnds.map(([query]) => String(query)));
    for (const end of ends) this.#isEnd.set(end, existing.has(pathQuery(end)));
    const known = new Set(ofFiles.map(([path]) => String(path)));
    for (const path of files) this.#isFile.set(path, known.has(path));
    return true;
  }
}

/** Python's `posixpath`, as far as paths in a repository need it. */

/** Mirrors `posixpath.dirname`, for paths without a leading or a doubled slash. */
export function dirname(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}

/** Mirrors `posixpath.join`. */
export function joinPaths(first: string, ...others: string[]): string {
  return others.reduce((path, part) => {
    if (part.startsWith("/") || !path) return part;
    return path.endsWith("/") ? path + part : `${path}/${part}`;
  }, first);
}

/** Mirrors `posixpath.normpath`. */
export function normalizeParts(path: string): string {
  if (!path) return ".";
  const slashes = /^\/{2}(?!\/)/.test(path) ? "//" : path.startsWith("/") ? "/" : "";
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (!part || part === ".") continue;
    const isUp = part === ".." && (parts.length > 0 ? parts.at(-1) !== ".." : Boolean(slashes));
    if (!isUp) parts.push(part);
    else parts.pop();
  }
  return slashes + parts.join("/") || ".";
}

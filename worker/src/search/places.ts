/** Where is a file seen by a person? On GitHub, at the commit that the index equals. */

import type { Env } from "../bindings/env.ts";
import type { Place } from "./answers.ts";
import type { Hit } from "./found.ts";
import type { Meta } from "./standing.ts";

/** `owner/name` at GitHub of a repository of the index; null where nobody says that it is there. */
export function atGitHub(env: Env, repo: string): string | null {
  const said = (env.GITHUB ?? "").split(/[\s,]+/).filter(Boolean);
  const [one] = said;
  if (said.includes(repo)) return repo;
  return said.length === 1 && one && repo === env.REPO ? one : null;
}

/** Where its files are at the commit that the index equals, as addresses that a path goes behind. */
export function web(env: Env, meta: Meta, repo: string): string | null {
  const slug = atGitHub(env, repo);
  const commit = commitOf(meta, repo);
  return slug && commit ? `https://github.com/${slug}/blob/${commit}` : null;
}

/** The commit that its files are those of; null for a working tree's. */
export function commitOf(meta: Meta, repo: string): string | null {
  return meta.get(`${repo}:working`) ? null : meta.get(`${repo}:head`) || null;
}

export function placeOf(env: Env, meta: Meta, repo: string): Place {
  return {
    repo,
    commitOf: (of) => commitOf(meta, of),
    permalink: (hit) => permalink(web(env, meta, hit.repo), hit),
  };
}

function permalink(base: string | null, { path, startLine, endLine }: Hit): string | null {
  if (!base) return null;
  const lines = startLine === endLine ? `L${startLine}` : `L${startLine}-L${endLine}`;
  return `${base}/${path.split("/").map(encodeURIComponent).join("/")}#${lines}`;
}

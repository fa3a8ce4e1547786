/** Links to a file at GitHub, at the indexed commit. */

import type { Env } from "../bindings/env.ts";
import type { SourceLinks } from "./answers.ts";
import type { Hit } from "./results.ts";
import type { IndexMeta } from "./index_status.ts";

/** The GitHub slug `owner/name` of an indexed repository; null if none is configured. The only slug is that of the only repository. */
export function gitHubSlug(env: Env, repo: string): string | null {
  const slugs = (env.GITHUB ?? "").split(/[\s,]+/).filter(Boolean);
  const [only] = slugs;
  if (slugs.includes(repo)) return repo;
  const isOnly = repo === env.REPO && Object.keys(env.REPOSITORIES ?? {}).length <= 1;
  return slugs.length === 1 && only && isOnly ? only : null;
}

/** The GitHub address of the repository's files at the indexed commit, without a path. */
export function gitHubUrl(env: Env, meta: IndexMeta, repo: string): string | null {
  const slug = gitHubSlug(env, repo);
  const commit = indexedCommit(meta, repo);
  return slug && commit ? `https://github.com/${slug}/blob/${commit}` : null;
}

/** The indexed commit; null for a working-tree index. */
export function indexedCommit(meta: IndexMeta, repo: string): string | null {
  return meta.get(`${repo}:working`) ? null : meta.get(`${repo}:head`) || null;
}

/** The links of a repository's hits; those of all repositories for an empty name. */
export function sourceLinks(env: Env, meta: IndexMeta, repo: string): SourceLinks {
  return {
    repo,
    commitOf: (indexedRepo) => indexedCommit(meta, indexedRepo),
    permalink: (hit) => permalink(gitHubUrl(env, meta, hit.repo), hit),
  };
}

function permalink(base: string | null, { path, startLine, endLine }: Hit): string | null {
  if (!base) return null;
  const lines = startLine === endLine ? `L${startLine}` : `L${startLine}-L${endLine}`;
  return `${base}/${path.split("/").map(encodeURIComponent).join("/")}#${lines}`;
}

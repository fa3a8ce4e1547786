/** The GitHub address of files at the indexed commit. */

import type { Env } from "../bindings/env.ts";
import type { IndexMeta } from "../corpus/index_status.ts";

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

/** The GitHub client: fetches a file at a commit and caches its lines. */

import type { OnTiming } from "../api/types.ts";

/** The size of the largest file that is shown. */
const MOST_BYTES = 1_000_000;
/** The timeout of a request; hits are then shown without lines. */
const PATIENCE_MS = 5_000;
/** The maximum number of cached files per isolate. */
const KEPT = 50;
const A_YEAR_S = 31_536_000;
/** Content that is binary or a Git LFS pointer. */
const NOT_TEXT = /\0|^version https:\/\/git-lfs\.github\.com\/spec\/v1/;

const kept = new Map<string, string[]>();

/** A file of a repository, `owner/name`, at a commit. */
export interface GitHubFile {
  readonly slug: string;
  readonly commit: string;
  readonly path: string;
}

/** The cached lines of a file; null if they are not cached. */
export function cachedLines(file: GitHubFile): string[] | null {
  return kept.get(address(file, undefined)) ?? null;
}

/** Fetches the lines of a file; null if it is not text, is not accessible or takes too long. */
export async function fetchLines(
  file: GitHubFile,
  token: string | undefined,
  onTiming: OnTiming,
): Promise<string[] | null> {
  const began = Date.now();
  try {
    const response = await fetch(address(file, token), {
      headers: headersOf(token),
      cf: { cacheEverything: true, cacheTtl: A_YEAR_S },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (!response.ok || Number(response.headers.get("content-length") ?? 0) > MOST_BYTES) return null;
    return keep(address(file, undefined), await response.text());
  } catch (fault) {
    console.warn(`GitHub gave no lines of ${file.path}: ${String(fault)}`);
    return null;
  } finally {
    onTiming("github", Date.now() - began);
  }
}

function keep(key: string, text: string): string[] | null {
  if (text.length > MOST_BYTES || NOT_TEXT.test(text)) return null;
  const plain = text.replace(/^\ufeff/, "");
  const ended = plain.includes("\n") ? plain.replaceAll("\r\n", "\n") : plain.replaceAll("\r", "\n");
  const found = ended.split("\n");
  if (kept.size >= KEPT) kept.clear();
  kept.set(key, found);
  return found;
}

function address({ slug, commit, path }: GitHubFile, token: string | undefined): string {
  const place = path.split("/").map(encodeURIComponent).join("/");
  if (!token) return `https://raw.githubusercontent.com/${slug}/${commit}/${place}`;
  return `https://api.github.com/repos/${slug}/contents/${place}?ref=${commit}`;
}

function headersOf(token: string | undefined): Record<string, string> {
  const own = { "user-agent": "feeder" };
  if (!token) return own;
  return { ...own, accept: "application/vnd.github.raw+json", authorization: `Bearer ${token}` };
}

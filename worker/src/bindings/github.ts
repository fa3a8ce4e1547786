/** The GitHub client: fetches a file at a commit and caches its lines. */

import type { OnTiming } from "../timing.ts";

/** The size of the largest file that is shown. */
const MAX_BYTES = 1_000_000;
/** The timeout of a request; hits are then shown without lines. */
const TIMEOUT_MS = 5_000;
/** The maximum number of cached files per isolate. */
const MAX_CACHED_FILES = 50;
/** A file at a commit never changes and is cached for a year; a refusal or an error is not cached. */
const CACHE_TTLS_S = { "200-299": 31_536_000, "300-599": -1 };
/** Content that is binary or a Git LFS pointer. */
const NOT_TEXT = /\0|^version https:\/\/git-lfs\.github\.com\/spec\/v1/;

const lineCache = new Map<string, string[]>();

/** A file of a repository, `owner/name`, at a commit. */
export interface GitHubFile {
  readonly slug: string;
  readonly commit: string;
  readonly path: string;
}

/** The cached lines of a file; null if they are not cached. */
export function cachedLines(file: GitHubFile): string[] | null {
  return lineCache.get(fileUrl(file, undefined)) ?? null;
}

/** Fetches the lines of a file; null if it is not text, is not accessible or takes too long. */
export async function fetchLines(
  file: GitHubFile,
  token: string | undefined,
  onTiming: OnTiming,
): Promise<string[] | null> {
  const startedAt = Date.now();
  try {
    const response = await fetch(fileUrl(file, token), {
      headers: headersOf(token),
      cf: { cacheEverything: true, cacheTtlByStatus: CACHE_TTLS_S },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok || Number(response.headers.get("content-length") ?? 0) > MAX_BYTES) return null;
    return cacheLines(fileUrl(file, undefined), await response.text());
  } catch (error) {
    console.warn(`GitHub did not return the lines of ${file.path}: ${String(error)}`);
    return null;
  } finally {
    onTiming("github", Date.now() - startedAt);
  }
}

function cacheLines(key: string, text: string): string[] | null {
  if (text.length > MAX_BYTES || NOT_TEXT.test(text)) return null;
  const withoutBom = text.replace(/^\ufeff/, "");
  const normalized = withoutBom.includes("\n") ? withoutBom.replaceAll("\r\n", "\n") : withoutBom.replaceAll("\r", "\n");
  const lines = normalized.split("\n");
  if (lineCache.size >= MAX_CACHED_FILES) lineCache.clear();
  lineCache.set(key, lines);
  return lines;
}

function fileUrl({ slug, commit, path }: GitHubFile, token: string | undefined): string {
  const encodedPath = path.split("/").map(encodeURIComponent).join("/");
  if (!token) return `https://raw.githubusercontent.com/${slug}/${commit}/${encodedPath}`;
  return `https://api.github.com/repos/${slug}/contents/${encodedPath}?ref=${commit}`;
}

function headersOf(token: string | undefined): Record<string, string> {
  const headers = { "user-agent": "feeder" };
  if (!token) return headers;
  return { ...headers, accept: "application/vnd.github.raw+json", authorization: `Bearer ${token}` };
}

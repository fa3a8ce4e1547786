/** The environment of the Worker: bindings, variables and secrets. */

export interface Env {
  /** The database of the index. */
  CODE_DB: D1Database;
  /** The vector index; without it, searches use words only. */
  CODE_INDEX?: Vectorize;
  AI?: Ai;
  /** The static files of the page. */
  ASSETS?: Fetcher;
  /** The rate limit of a client: an address, or a person who signed in. */
  LIMIT?: RateLimit;
  /** The rate limit of a token, from all addresses together. */
  TOKEN_LIMIT?: RateLimit;

  /** Secrets and variables of authentication. */
  FEEDER_TOKEN?: string;
  ACCESS_TEAM?: string;
  ACCESS_AUD?: string;
  PUBLIC?: string;
  /** Set by `feeder worker --try`, which runs the Worker on the user's machine. */
  LOCAL?: string;
  /** Origins that may call the API, separated by blanks or commas. */
  ORIGINS?: string;

  /** The repository to search, if the database has several. */
  REPO?: string;
  /** The binding of the database of each repository, where a Worker has several. */
  REPOSITORIES?: Record<string, string>;
  /** The repositories that a token, a group, a person or a service token of Access may search; all without it. */
  RIGHTS?: unknown;
  /** The queries to D1 that a request may send: 50 on the free plan, the default, and 1000 on the paid one. */
  D1_QUERIES?: string | number;
  /** The embedding model of queries; by default that of the index. */
  MODEL?: string;
  /** The GitHub slugs `owner/name` of the indexed repositories, for links and texts. */
  GITHUB?: string;
  /** The token to read files of a private repository from GitHub. */
  GITHUB_TOKEN?: string;
}

/** What a Worker is given: the bindings of its configuration, its variables and secrets. */

export interface Env {
  /** The index' rows. */
  CODE_DB: D1Database;
  /** Its vectors; words answer alone without it. */
  CODE_INDEX?: Vectorize;
  AI?: Ai;
  /** The page. */
  ASSETS?: Fetcher;
  /** How often somebody may ask. */
  LIMIT?: RateLimit;

  /** Secrets and variables that say who may ask. */
  FEEDER_TOKEN?: string;
  ACCESS_TEAM?: string;
  ACCESS_AUD?: string;
  PUBLIC?: string;
  /** Sites whose pages may ask, with blanks or commas between them. */
  ORIGINS?: string;

  /** `owner/name` of the index to be asked, where the database has several. */
  REPO?: string;
  /** The model that questions are put to; else the one that made the index' vectors. */
  MODEL?: string;
  /** `owner/name` at GitHub of each repository of the index that is there: for links and texts. */
  GITHUB?: string;
  /** Of a private repository whose texts are read from GitHub. */
  GITHUB_TOKEN?: string;
}

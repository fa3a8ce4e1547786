/** The shape of answers for the JSON interface, the page and MCP: docs/reference/http-api.md. */

/** The parameters of a question: each as often as it was said. */
export type Params = Readonly<Record<string, readonly string[]>>;

/** Answers a question by its name. */
export type AskEndpoint = (name: string, said: Params) => Promise<object>;

/** Says how long a part of an answer took, for `Server-Timing`; of D1 the rows that it read. */
export type OnTiming = (name: string, ms: number, rows?: number) => void;

export interface Lines {
  start_line: number;
  lines: string[];
}

export interface Hit {
  id: string;
  repo: string;
  path: string;
  language: string | null;
  /** `lines` for lines of a file that are no node. */
  node_type: string;
  symbol: string | null;
  signature: string | null;
  logical_path: string | null;
  /** A model's line on it. */
  description: string | null;
  start_line: number;
  end_line: number;
  /** `elsewhere` for a hit of another repository than the one that is asked. */
  state: string;
  member: { name: string; line: number } | null;
  piece: { start_line: number; end_line: number; matching: number; of: number } | null;
  copies: { path: string; start_line: number; end_line: number }[];
  /** All of its lines, null where the text is not there. */
  text: string | null;
  text_of: string | null;
  window: (Lines & { head: Lines | null }) | null;
}

/** What the index equals, as a sentence. */
export interface WithFreshness {
  note: string;
}

export interface SearchAnswer extends WithFreshness {
  hits: Hit[];
  total: number;
  at_least: boolean;
  offset: number;
  notes: string[];
  /** Of a question that nothing answers: where it was asked, and what each filter keeps away. */
  nowhere?: { repos: string[]; without: { name: string; total: number; best: Hit | null }[] };
}

/** What is read of each target; one that there is not has no hits but an error. */
export interface ReadAnswer extends WithFreshness {
  targets: { target: string; hits: Hit[]; error: string }[];
}

export interface OutlineEntry {
  node_type: string;
  symbol: string | null;
  logical_path: string | null;
  start_line: number;
  end_line: number;
  state: string;
  depth: number;
}

export interface OutlineAnswer extends WithFreshness {
  files: { path: string; nodes: OutlineEntry[] }[];
}

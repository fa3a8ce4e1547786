/** The types of requests and responses of the JSON API; docs/reference/http-api.md describes them. */

import type { SearchContext } from "../corpus/context.ts";

/** The parameters of a request, each with all its values. */
export type Params = Readonly<Record<string, readonly string[]>>;

/** Answers a request from an index. */
export type Endpoint = (context: SearchContext, params: Params) => Promise<object>;

/** Calls an endpoint by its name. */
export type CallEndpoint = (name: string, params: Params) => Promise<object>;

export interface Lines {
  start_line: number;
  lines: string[];
}

export interface Hit {
  id: string;
  repo: string;
  path: string;
  language: string | null;
  /** `lines` for lines of a file that are not a node. */
  node_type: string;
  symbol: string | null;
  signature: string | null;
  logical_path: string | null;
  /** The description by a language model. */
  description: string | null;
  start_line: number;
  end_line: number;
  /** `elsewhere` for a hit in another repository than the searched one. */
  state: string;
  member: { name: string; line: number } | null;
  piece: { start_line: number; end_line: number; matching: number; of: number } | null;
  copies: { path: string; start_line: number; end_line: number }[];
  /** All lines; null if the text is not available. */
  text: string | null;
  text_of: string | null;
  /** The lines of the file next to the node; null without any. */
  before: string[] | null;
  after: string[] | null;
  window: (Lines & { head: Lines | null; more: Lines[] }) | null;
}

/** The freshness of the index, as a sentence; `several` where the Worker has several repositories. */
export interface WithFreshness {
  note: string;
  index?: { repo: string; several?: boolean };
}

export interface SearchAnswer extends WithFreshness {
  hits: Hit[];
  total: number;
  at_least: boolean;
  offset: number;
  notes: string[];
}

/** The hits of each target; an unknown target has an error instead. */
export interface ReadAnswer extends WithFreshness {
  targets: { target: string; hits: Hit[]; error: string; notes: string[] }[];
}

export interface OutlineEntry {
  node_type: string;
  symbol: string | null;
  logical_path: string | null;
  signature: string | null;
  start_line: number;
  end_line: number;
  state: string;
  depth: number;
}

export interface OutlineAnswer extends WithFreshness {
  files: { path: string; nodes: OutlineEntry[]; unparsed: string | null }[];
  /** Why some files have no nodes. */
  notes?: readonly string[];
}

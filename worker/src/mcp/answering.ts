/** What do the tools answer? Each asks as a program does, and gives the answer a model's shape. */

import shared from "../../build/shared.json";
import type { Ask, Hits, Outline, Params, Passages } from "../api/facts.ts";
import { Refusal } from "../refusal.ts";
import type { Given } from "./arguments.ts";
import type { Said } from "./messages.ts";
import { outlineAsText } from "./outlining.ts";
import { passagesAsText } from "./reading.ts";
import { hitsAsText, joined } from "./shaping.ts";

const { window_lines, targets: MOST, default_tokens, no_word } = shared.serve.answering;

type Tool = (ask: Ask, said: Given) => Promise<Said>;

/** The hits of a question. */
async function search(ask: Ask, said: Given): Promise<Said> {
  const found = (await ask("search", {
    q: [said.query as string],
    ...(said.path ? { path: said.path as string[] } : {}),
    ...(said.exclude ? { not_path: said.exclude as string[] } : {}),
    ...several("language", said.language),
    ...several("node_type", said.type),
    ...several("repo", said.repo),
    ...(said.tests ? { tests: [said.tests as string] } : {}),
    limit: [String(said.limit)],
    offset: [String(said.offset)],
    lines: [String(window_lines)],
    loosened: ["yes"],
  })) as Hits;
  if (!found.total) return plain(nothing(found));
  const wanted = { detail: said.detail as string, tokens: said.budget as number };
  return plain(hitsAsText(found, wanted));
}

/** The lines of each target; one that there is not hinders no other. */
async function read(ask: Ask, said: Given): Promise<Said> {
  const target = said.target as string[];
  if (target.length > MOST) {
    const text = `\`target\` has ${target.length} targets: ask for ${MOST} at most.`;
    throw new Refusal(400, text);
  }
  const found = (await ask("read", { target })) as Passages;
  const isError = found.targets.every((one) => !one.hits.length);
  return { text: passagesAsText(found, said.budget as number), isError };
}

/** What is most like a node. */
async function similar(ask: Ask, said: Given): Promise<Said> {
  const found = (await ask("similar", {
    target: [said.target as string],
    limit: [String(said.limit)],
    lines: [String(window_lines)],
  })) as Hits;
  return plain(hitsAsText(found, { detail: "auto", tokens: default_tokens }));
}

/** What a file or folder holds. */
async function outline(ask: Ask, said: Given): Promise<Said> {
  const found = (await ask("outline", { path: [said.path as string] })) as Outline;
  return plain(outlineAsText(found, (said.depth as number) ?? null, default_tokens));
}

export const TOOLS: ReadonlyMap<string, Tool> = new Map([
  ["search", search],
  ["read", read],
  ["similar", similar],
  ["outline", outline],
]);

function plain(text: string): Said {
  return { text, isError: false };
}

/** A parameter of each part between commas; none where there is no part. */
function several(name: string, text: unknown): Params {
  const some = String(text ?? "").split(",").map((one) => one.trim());
  const said = some.filter(Boolean);
  return said.length ? { [name]: said } : {};
}

/** What was searched, and what each filter kept away. */
function nothing(found: Hits): string {
  const { repos = [], without = [] } = found.nowhere ?? {};
  const where = repos.length ? ` in ${repos.join(", ")}` : "";
  if (!without.length) {
    const said = `Nothing found${where}. Ask in other words, or by a part of a name.`;
    return joined([said], found.notes, found.note);
  }
  const said = `Nothing found${where} with these filters. ${without.map(withoutOne).join(" ")}`;
  // of what the filters leave, which is not what the words may be in
  const notes = found.notes.filter((note) => !note.startsWith(no_word));
  return joined([said], notes, found.note);
}

function withoutOne({ name, total, best }: NonNullable<Hits["nowhere"]>["without"][number]): string {
  const called = best && (best.symbol || best.logical_path || best.node_type);
  const first = best ? `, first ${best.path}:${best.start_line}-${best.end_line} ${called}` : "";
  return `Without \`${name}\`: ${total}${first}.`;
}

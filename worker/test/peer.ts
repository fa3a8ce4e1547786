/** Reads lines of JSON, `[name, ...arguments]`, calls the Worker's functions and prints their results as JSON. */

import { createInterface } from "node:readline";

import workerData from "../build/worker_data.json";
import { access } from "./calls/access.ts";
import { textAnalysis } from "./calls/text_analysis.ts";
import { ranking } from "./calls/ranking.ts";
import { mcp } from "./calls/mcp.ts";
import { snapshot } from "./calls/snapshot.ts";
import { store } from "./calls/store.ts";

const FUNCTIONS: Record<string, (...args: never[]) => unknown> = {
  workerData: () => workerData,
  ...access,
  ...textAnalysis,
  ...ranking,
  ...store,
  ...mcp,
  ...snapshot,
};

for await (const line of createInterface({ input: process.stdin })) {
  const [name, ...args] = JSON.parse(line) as [string, ...never[]];
  const fn = FUNCTIONS[name];
  const answer = fn ? { answer: (await fn(...args)) ?? null } : { error: `no ${name}` };
  console.log(JSON.stringify(answer));
}

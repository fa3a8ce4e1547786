/** Reads lines of JSON, `[name, ...arguments]`, calls the Worker's functions and prints their results as JSON. */

import { createInterface } from "node:readline";

import workerData from "../build/worker_data.json";
import { lexicon } from "./calls/lexicon.ts";
import { ranking } from "./calls/ranking.ts";
import { shell } from "./calls/shell.ts";
import { steady } from "./calls/snapshot.ts";
import { store } from "./calls/store.ts";

const CALLS: Record<string, (...given: never[]) => unknown> = {
  workerData: () => workerData,
  ...lexicon,
  ...ranking,
  ...store,
  ...shell,
  ...steady,
};

for await (const line of createInterface({ input: process.stdin })) {
  const [name, ...given] = JSON.parse(line) as [string, ...never[]];
  const call = CALLS[name];
  const answer = call ? { answer: (await call(...given)) ?? null } : { error: `no ${name}` };
  console.log(JSON.stringify(answer));
}

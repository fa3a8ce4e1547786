/** Answers lines of JSON, `[name, ...arguments]`, by the Worker's own functions. */

import { createInterface } from "node:readline";

import shared from "../build/shared.json";

const CALLS: Record<string, (...given: never[]) => unknown> = {
  shared: () => shared,
};

for await (const line of createInterface({ input: process.stdin })) {
  const [name, ...given] = JSON.parse(line) as [string, ...never[]];
  const call = CALLS[name];
  const answer = call ? { answer: call(...given) ?? null } : { error: `no ${name}` };
  console.log(JSON.stringify(answer));
}

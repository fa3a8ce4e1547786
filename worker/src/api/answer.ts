/** What does the JSON interface answer? The program's answers, as docs/api.md has them. */

import { D1 } from "../bindings/d1.ts";
import type { Env } from "../bindings/env.ts";
import { Refusal } from "../refusal.ts";
import { hitJson } from "../search/answers.ts";
import { ask, askerOf, type Asker } from "../search/asking.ts";
import { facets } from "../search/facets.ts";
import { placeOf } from "../search/places.ts";
import { age, known } from "../search/standing.ts";
import type { Clock, Params } from "./facts.ts";
import { filters, meaning, one, paging } from "./said.ts";

type Question = (asker: Asker, params: Params) => Promise<object>;

/** The answer to a question by its name; refuses what is wrong, with its status. */
export async function answer(name: string, params: Params, env: Env, clock: Clock): Promise<object> {
  const question = QUESTIONS[name];
  if (!question) throw new Refusal(404, `There is no /api/${name}.`);
  const database = new D1(env.CODE_DB, clock);
  return question(askerOf(env, database, clock, await known(env.CODE_DB, database)), params);
}

/** A page of hits. */
async function search(given: Asker, params: Params): Promise<object> {
  const page = paging(params);
  const answered = await ask(given, one(params, "q"), page, filters(params), meaning(params));
  const { asker, answer: found } = answered;
  const place = placeOf(asker.env, asker.meta, asker.repo);
  return {
    hits: found.found.map((hit) => hitJson(hit, place, null)),
    total: found.total,
    at_least: found.atLeast,
    offset: page.offset,
    notes: found.notes,
    ...age(asker.meta, asker.repo),
    facets: facets(found.every),
  };
}

const QUESTIONS: Record<string, Question> = { search };

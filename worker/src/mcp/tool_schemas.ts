/** Checks a tool's arguments against its JSON schema. */

import { truncate, length } from "../python_strings.ts";
import { didYouMean } from "../suggestions.ts";
import { HttpError } from "../http_error.ts";
import { formatNumber } from "../escaping.ts";

/** The supported part of JSON schema for a tool's argument. */
export interface JsonSchema {
  type?: string;
  anyOf?: JsonSchema[];
  enum?: string[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
}

export interface ObjectSchema {
  properties: Record<string, JsonSchema>;
  required: string[];
}

export type ToolArguments = Record<string, unknown>;

/** The number of characters of a wrong value that an error shows. */
const SHOWN = 60;

/**
 * Validates a call's arguments and adds the schema's defaults; null is like a missing value.
 *
 * Throws an HttpError for an argument that is missing, unknown or of a wrong type.
 */
export function validateArguments(tool: string, schema: ObjectSchema, args: ToolArguments): ToolArguments {
  const known = schema.properties;
  const there = Object.entries(args).filter(([, value]) => value !== null);
  for (const [name] of there) {
    if (!Object.hasOwn(known, name)) throw unknown(tool, name, Object.keys(known));
  }
  const missing = schema.required.find((name) => !there.some(([key]) => key === name));
  if (missing) throw new HttpError(400, `${tool} requires \`${missing}\`.`);
  const defaults = Object.entries(known).filter(([, one]) => "default" in one);
  return {
    ...Object.fromEntries(defaults.map(([name, one]) => [name, one.default])),
    ...Object.fromEntries(there.map(([name, value]) => [name, valueOf(name, known[name]!, value)])),
  };
}

function unknown(tool: string, name: string, known: string[]): HttpError {
  const near = didYouMean(name, known);
  const sentences = [near, `It has ${known.join(", ")}.`].filter(Boolean);
  return new HttpError(400, `${tool} has no argument \`${short(name)}\`.`, sentences.join(" "));
}

function valueOf(name: string, schema: JsonSchema, value: unknown): unknown {
  if (schema.anyOf) return texts(name, schema.anyOf[0]!, value);
  if (schema.type === "integer") return whole(name, schema, value);
  if (typeof value !== "string") {
    throw new HttpError(400, `\`${name}\` must be a string, not ${written(value)}.`);
  }
  const said = text(name, schema, value);
  if (schema.enum && !schema.enum.includes(said)) {
    throw new HttpError(400, `\`${name}\` must be one of ${schema.enum.join(", ")}, not ${written(said)}.`);
  }
  return said;
}

/** A list of strings; a single string, or a JSON list in a string, is accepted too. */
function texts(name: string, schema: JsonSchema, value: unknown): string[] {
  const meantList = typeof value === "string" && value.startsWith("[") ? listIn(value) : value;
  const some: unknown = typeof meantList === "string" ? [meantList] : meantList;
  const isList = Array.isArray(some) && some.length && some.every((one) => typeof one === "string");
  if (isList) return some.map((one) => text(name, schema, one));
  throw new HttpError(400, `\`${name}\` must be a string or a list of strings, not ${written(meantList)}.`);
}

/** Checks the length of a text, and replaces lone surrogates and NUL. */
function text(name: string, schema: JsonSchema, value: string): string {
  const size = length(value);
  const most = schema.maxLength ?? size;
  if (size > most) {
    const least = `at most ${formatNumber(most)} are allowed.`;
    throw new HttpError(400, `\`${name}\` has ${formatNumber(size)} characters, ${least}`);
  }
  return value.replace(/\p{Cs}/gu, "?").replaceAll("\0", " ");
}

function listIn(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function whole(name: string, schema: JsonSchema, value: unknown): number {
  const digits = typeof value === "string" && /^-?\d{1,15}$/.test(value.trim());
  const number = digits ? Number(value) : value;
  const { minimum = 0, maximum = 0 } = schema;
  if (Number.isInteger(number) && (number as number) >= minimum && (number as number) <= maximum) {
    return number as number;
  }
  const range = `\`${name}\` must be an integer from ${minimum} to ${maximum}`;
  throw new HttpError(400, `${range}, not ${written(number)}.`);
}

function written(value: unknown): string {
  const isLarge = Number.isInteger(value) && Math.abs(value as number) > 10 ** SHOWN;
  return isLarge ? "one so large" : short(json(value));
}

/** JSON with a blank after each comma and colon, as Python writes it. */
function json(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(json).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${json(one)}`);
  return `{${members.join(", ")}}`;
}

function short(value: string): string {
  return length(value) <= SHOWN ? value : `${truncate(value, SHOWN)}…`;
}

/** Checks a tool's arguments against its JSON schema. */

import { constants } from "../../build/worker_data.json";
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
const MAX_SHOWN_CHARS = 60;

/**
 * Validates a call's arguments and adds the schema's defaults; null is like a missing value.
 *
 * Throws an HttpError for an argument that is missing, unknown or of a wrong type.
 */
export function validateArguments(tool: string, schema: ObjectSchema, args: ToolArguments): ToolArguments {
  const properties = schema.properties;
  const given = Object.entries(args).filter(([, value]) => value !== null);
  for (const [name] of given) {
    if (!Object.hasOwn(properties, name)) throw unknownArgumentError(tool, name, Object.keys(properties));
  }
  const missing = schema.required.find((name) => !given.some(([key]) => key === name));
  if (missing) throw new HttpError(400, `${tool} requires \`${missing}\`.`);
  const defaults = Object.entries(properties).filter(([, property]) => "default" in property);
  return {
    ...Object.fromEntries(defaults.map(([name, property]) => [name, property.default])),
    ...Object.fromEntries(given.map(([name, value]) => [name, validateValue(name, properties[name]!, value)])),
  };
}

function unknownArgumentError(tool: string, name: string, names: string[]): HttpError {
  const suggestion = didYouMean(name, names);
  const sentences = [suggestion, `It has ${names.join(", ")}.`].filter(Boolean);
  return new HttpError(400, `${tool} has no argument \`${truncateValue(name)}\`.`, sentences.join(" "));
}

function validateValue(name: string, schema: JsonSchema, value: unknown): unknown {
  if (schema.anyOf) return validateStringList(name, schema.anyOf[0]!, value);
  if (schema.type === "integer") return validateInteger(name, schema, value);
  if (typeof value !== "string") {
    throw new HttpError(400, `\`${name}\` must be a string, not ${formatValue(value)}.`);
  }
  const string = validateString(name, schema, value);
  if (schema.enum && !schema.enum.includes(string)) {
    throw new HttpError(400, `\`${name}\` must be one of ${schema.enum.join(", ")}, not ${formatValue(string)}.`);
  }
  return string;
}

/** A list of strings; a single string, or a JSON list in a string, is accepted too. */
function validateStringList(name: string, schema: JsonSchema, value: unknown): string[] {
  const parsed = typeof value === "string" && value.startsWith("[") ? parseList(value) : value;
  const texts: unknown = typeof parsed === "string" ? [parsed] : parsed;
  const isList = Array.isArray(texts) && texts.length && texts.every((one) => typeof one === "string");
  if (isList) return texts.map((one) => validateString(name, schema, one));
  throw new HttpError(400, `\`${name}\` must be a string or a list of strings, not ${formatValue(parsed)}.`);
}

const { MAX_CHARS } = constants.tool_schemas;

/** Checks the length of a text, and replaces lone surrogates and NUL. */
function validateString(name: string, schema: JsonSchema, value: string): string {
  const size = length(value);
  const maximum = schema.maxLength ?? MAX_CHARS;
  if (size > maximum) {
    const limitText = `at most ${formatNumber(maximum)} are allowed.`;
    throw new HttpError(400, `\`${name}\` has ${formatNumber(size)} characters, ${limitText}`);
  }
  return value.replace(/\p{Cs}/gu, "?").replaceAll("\0", " ");
}

function parseList(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function validateInteger(name: string, schema: JsonSchema, value: unknown): number {
  const digits = typeof value === "string" && /^-?\d{1,15}$/.test(value.trim());
  const number = digits ? Number(value) : value;
  const { minimum = 0, maximum = 0 } = schema;
  if (Number.isInteger(number) && (number as number) >= minimum && (number as number) <= maximum) {
    return number as number;
  }
  const range = `\`${name}\` must be an integer from ${minimum} to ${maximum}`;
  throw new HttpError(400, `${range}, not ${formatValue(number)}.`);
}

function formatValue(value: unknown): string {
  const isLarge = Number.isInteger(value) && Math.abs(value as number) > 10 ** MAX_SHOWN_CHARS;
  return isLarge ? "one so large" : truncateValue(pythonJson(value));
}

/** JSON with a blank after each comma and colon, as Python writes it. */
function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${pythonJson(one)}`);
  return `{${members.join(", ")}}`;
}

function truncateValue(value: string): string {
  return length(value) <= MAX_SHOWN_CHARS ? value : `${truncate(value, MAX_SHOWN_CHARS)}…`;
}

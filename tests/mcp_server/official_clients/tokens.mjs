// How many tokens do texts have? A JSON array of them on stdin, their numbers on stdout.

import { text } from "node:stream/consumers";
import { Tiktoken } from "js-tiktoken/lite";
import ranks from "js-tiktoken/ranks/o200k_base";

const encoding = new Tiktoken(ranks);
const texts = JSON.parse(await text(process.stdin));
console.log(JSON.stringify(texts.map((one) => encoding.encode(one, "all").length)));

import { expect, it } from "vitest";

import type { JsonSchema } from "../api/types";
import { numberOf } from "./exact";
import { controlOf, initial, problems, resolve } from "./schema";

const schema: JsonSchema = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 2 },
    n: { type: ["integer", "null"], minimum: 1, default: 3 },
    kind: { enum: ["a", "b"] },
    who: { $ref: "#/$defs/person" },
    tags: { type: "array", items: { type: "string" }, maxItems: 1 },
    choice: { anyOf: [{ const: 1, title: "one" }, { const: 2, title: "two" }] },
    any: {},
  },
  required: ["name", "who"],
  $defs: { person: { type: "object", properties: { age: { type: "number" } }, required: ["age"] } },
};

it("chooses an input for each schema", () => {
  const controls = Object.fromEntries(Object.entries(schema.properties!).map(([name, s]) => [name, controlOf(resolve(s, schema))]));
  expect(controls).toEqual({ name: "text", n: "number", kind: "enum", who: "object", tags: "array", choice: "enum", any: "json" });
  expect(initial(schema, schema)).toEqual({ n: 3 });
});

it("says what is wrong with a value, and where", () => {
  const found = problems(schema, { name: "x", n: 0.5, kind: "c", who: {}, tags: ["a", 2], choice: 3 }, schema);
  expect(Object.fromEntries(found)).toEqual({
    "/name": "at least 2 characters needed",
    "/n": "write a whole number",
    "/kind": "choose one of the values",
    "/who/age": "is required",
    "/tags": "at most 1 allowed",
    "/tags/1": "write a text",
    "/choice": "choose one of the values",
  });
  expect(problems(schema, { name: "ada", n: null, who: { age: 3 } }, schema).size).toBe(0);
});

it("takes whole numbers of any length", () => {
  const id = { n: numberOf("12345678901234567890") };
  const wanted = (s: JsonSchema): [string, string][] => [...problems({ type: "object", properties: { n: s } }, id, {})];
  expect(wanted({ type: "integer" })).toEqual([]);
  expect(wanted({ type: "integer", maximum: 5 })).toEqual([["/n", "at most 5"]]);
  expect(wanted({ type: "string" })).toEqual([["/n", "write a text"]]);
});

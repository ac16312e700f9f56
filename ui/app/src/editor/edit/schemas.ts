// The types that a field of a table can have.
import type { Json, JsonSchema } from "../../api/types";

export const kinds: { name: string; text: string; schema: JsonSchema }[] = [
  { name: "string", text: "text", schema: { type: "string" } },
  { name: "number", text: "number", schema: { type: "number" } },
  { name: "integer", text: "whole number", schema: { type: "integer" } },
  { name: "boolean", text: "yes or no", schema: { type: "boolean" } },
  { name: "choice", text: "one of", schema: { type: "string", enum: ["a", "b"] } },
  { name: "strings", text: "list of texts", schema: { type: "array", items: { type: "string" } } },
  { name: "numbers", text: "list of numbers", schema: { type: "array", items: { type: "number" } } },
  { name: "array", text: "list", schema: { type: "array" } },
  { name: "object", text: "object", schema: { type: "object" } },
  { name: "any", text: "anything", schema: {} },
];

/** The type of a schema as the table names it; "" of one that only the text can say. */
export function kindOf(s: JsonSchema): string {
  if (s.$ref || s.anyOf || s.oneOf || s.allOf || Array.isArray(s.type)) return "";
  if (s.enum) return s.enum.every((v) => typeof v === "string" && !v.includes(",")) ? "choice" : "";
  if (s.type === undefined) return Object.keys(s).every((k) => k === "description" || k === "title") ? "any" : "";
  if (s.type !== "array") return kinds.some((k) => k.name === s.type) ? s.type : "";
  if (s.items === undefined || s.items === true) return "array";
  const items = s.items as JsonSchema;
  return Object.keys(items).length === 1 && (items.type === "string" || items.type === "number") ? `${items.type}s` : "array";
}

/** A schema of another type, which keeps what is said about the field. */
export function ofKind(s: JsonSchema, kind: string): Json {
  const { title, description } = s;
  return { ...kinds.find((k) => k.name === kind)!.schema, ...(title ? { title } : {}), ...(description ? { description } : {}) } as Json;
}

export const choicesOf = (s: JsonSchema): string => (s.enum ?? []).join(", ");

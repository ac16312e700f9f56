// JSON Logic as people read it: {">": [{"var": "$.n"}, 3]} is n > 3.
import type { Json } from "../../api/types";
import { isExact, jsonString } from "../../lib/exact";

const infix: Record<string, string> = { "==": "=", "===": "=", "!=": "≠", "!==": "≠", ">": ">", ">=": "≥", "<": "<", "<=": "≤", in: "in", "+": "+", "-": "−", "*": "×", "/": "÷", "%": "mod" };

export function ruleText(rule: Json | undefined): string {
  if (rule === undefined || rule === null || typeof rule !== "object" || isExact(rule)) return jsonString(rule ?? null);
  if (Array.isArray(rule)) return `[${rule.map(ruleText).join(", ")}]`;
  const entries = Object.entries(rule);
  const [op, given] = entries[0] ?? [];
  if (entries.length !== 1 || op === undefined) return jsonString(rule);
  const args = Array.isArray(given) ? given : [given as Json];
  if (op === "var") return typeof args[0] === "string" ? args[0].replace(/^\$\./, "") : jsonString(args[0] ?? "");
  if (op === "!" || op === "!!") return `${op === "!" ? "not " : ""}${ruleText(args[0])}`;
  if (op === "and" || op === "or") return args.map((a) => inner(a)).join(` ${op} `);
  const sign = infix[op];
  if (sign && args.length === 3) return `${ruleText(args[0])} ${sign} ${ruleText(args[1])} ${sign} ${ruleText(args[2])}`;
  if (sign && args.length === 2) return `${inner(args[0])} ${sign} ${inner(args[1])}`;
  return `${op}(${args.map(ruleText).join(", ")})`;
}

function inner(rule: Json | undefined): string {
  const op = rule && typeof rule === "object" && !Array.isArray(rule) ? Object.keys(rule)[0] : undefined;
  const text = ruleText(rule);
  return op === "and" || op === "or" ? `(${text})` : text;
}

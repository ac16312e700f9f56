// Nodes of the catalog.
import type { FoundNode, JsonSchema, NodeDetails, Parameter } from "../api/types";

/** The id of a node: its type, and its subtype if it has one. */
export function idOf(n: { id?: string; node_type: string; subtype?: string }): string {
  return n.id ?? (n.subtype ? `${n.node_type}:${n.subtype}` : n.node_type);
}

/** The name of a node without its type, and the server that has it. */
export function nameOf(n: { node_type: string; subtype?: string }): { name: string; server?: string } {
  if (!n.subtype) return { name: n.node_type };
  const slash = n.subtype.indexOf("/");
  if (n.node_type !== "mcp" || slash < 0) return { name: n.subtype };
  return { name: n.subtype.slice(slash + 1), server: n.subtype.slice(0, slash) };
}

/** The schema of a node's arguments, from its input ports. */
export function argumentsSchema(n: NodeDetails): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  for (const p of n.input_ports ?? []) {
    const schema = p.validation_schema ?? p.data_format?.schema ?? { type: p.type };
    properties[p.name] = p.description && !schema.description ? { ...schema, description: p.description } : schema;
    if (p.required) required.push(p.name);
  }
  return { type: "object", properties, required };
}

/** It can be called by itself: a tool or a saved graph. */
export function isCallable(n: FoundNode): boolean {
  return (n.node_type === "mcp" || n.node_type === "graph") && Boolean(n.subtype) && n.runnable !== false;
}

/** The properties of an object, as a table shows them. */
export function propertiesOf(schema: JsonSchema | undefined): Parameter[] {
  const type = (s: JsonSchema): string => (Array.isArray(s.type) ? s.type.join(" | ") : (s.type ?? "any"));
  return Object.entries(schema?.properties ?? {}).map(([name, s]) => ({ name, type: type(s), required: schema?.required?.includes(name) ?? false, description: s.description, enum_values: s.enum }));
}

export function outputSchema(n: NodeDetails): JsonSchema | undefined {
  return n.output_ports?.map((p) => p.data_format?.schema ?? p.validation_schema).find(Boolean) ?? n.observed?.schema;
}

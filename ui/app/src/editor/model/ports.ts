// The rules of ports that the catalog has for a type of node, in a few words.
import type { NodeDetails, Port } from "../../api/types";

export interface PortRule {
  text: string;
  /** What the catalog says about the port. */
  about: string;
}

const shown = 4;

/** The ports that are more than one edge in and out, and how many edges they take. */
export function portRules(d: NodeDetails): PortRule[] {
  const rules = [...(d.input_ports ?? []).map((p) => rule("in", p)), ...(d.output_ports ?? []).map((p) => rule("out", p))];
  return rules.length <= shown ? rules : [...rules.slice(0, shown), { text: `${rules.length - shown} more ports`, about: "" }];
}

function rule(side: "in" | "out", p: Port): PortRule {
  const common = p.name === "input" || p.name === "output";
  const most = p.max_connections ? `${p.max_connections === 1 ? "1 edge" : `up to ${p.max_connections} edges`}` : "any edges";
  return { text: `${side}${common ? "" : ` ${p.name}`}: ${most}`, about: p.description ?? "" };
}

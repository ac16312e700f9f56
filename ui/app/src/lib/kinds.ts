// How the types of nodes look.
import { icons, type IconName } from "./icons";

const colours: Record<string, string> = {
  entry: "--kind-flow",
  exit: "--kind-flow",
  mcp: "--kind-mcp",
  transform: "--kind-data",
  switch: "--kind-choice",
  parallel: "--kind-choice",
  graph: "--kind-graph",
  wait: "--kind-time",
  state: "--kind-time",
  ask: "--kind-person",
  http: "--kind-net",
  hook: "--kind-code",
  start: "--kind-flow",
  "mcp-call": "--kind-mcp",
  end: "--kind-flow",
  idiom: "--kind-graph",
};

export interface Look {
  icon: IconName;
  colour: string;
}

export function lookOf(type: string): Look {
  const icon = type in icons && type in colours ? (type as IconName) : "unknown";
  return { icon, colour: `var(${colours[type] ?? "--kind-flow"})` };
}

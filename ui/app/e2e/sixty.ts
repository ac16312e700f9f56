// A graph of sixty nodes: the reports of four stations are read side by side and compared.

export const stations = ["berlin", "lisbon", "nairobi", "osaka"];

/** The steps of a station after its file is read: a name, and an expression on the step before. */
const steps: [string, string][] = [
  ["rows", '$split($.read_@.content, "\\n")'],
  ["trim", "$.rows_@.$trim($)"],
  ["full", "[$.trim_@[$ != \"\"]]"],
  ["numbers", "[$.full_@.$length($)]"],
  ["unique", "[$distinct($.numbers_@)]"],
  ["sorted", "[$sort($.unique_@)]"],
];
const figures: [string, string][] = [
  ["count", "$count($.sorted_@)"],
  ["sum", "$sum($.sorted_@)"],
  ["low", "$min($.sorted_@)"],
  ["high", "$max($.sorted_@)"],
];

function chain(station: string): string {
  const after = ["", ...steps.map(([n]) => n), "pause", ...figures.map(([n]) => n), "done"].map((n) => `${n}_${station}`);
  const node = ([name, expr]: [string, string]): string =>
    `  - {id: ${name}_${station}, type: transform, transform: {expr: '${expr.replaceAll("@", station)}'}, next: ${after[after.indexOf(`${name}_${station}`) + 1]}}`;
  return [
    `  - {id: read_${station}, type: mcp, server: filesystem, tool: read_text_file, args: {path: {expr: '$.entry.folder & "/${station}.txt"'}}, next: ${after[1]}}`,
    ...steps.map(node),
    `  - {id: pause_${station}, type: wait, ms: 5, next: ${figures[0]![0]}_${station}}`,
    ...figures.map(node),
    `  - {id: done_${station}, type: transform, transform: {expr: '{"sum": $.sum_${station}}'}, next: merge}`,
  ].join("\n");
}

export const sixty = `name: compare_stations
description: Reads the reports of four stations side by side and compares them
inputSchema: {type: object, properties: {folder: {type: string, description: Where the reports are}}, required: [folder]}
outputSchema: {type: object}
nodes:
  - {id: entry, type: entry, next: stations}
  - {id: stations, type: parallel, branches: [${stations.map((s) => "read_" + s).join(", ")}], join: merge}
${stations.map(chain).join("\n")}
  - {id: merge, type: transform, transform: {expr: '{"sums": $.stations}'}, next: total}
  - {id: total, type: transform, transform: {expr: $count($keys($.merge.sums))}, next: enough}
  - id: enough
    type: switch
    conditions: [{rule: {"<": [{"var": "$.total"}, 2]}, next: few}]
    next: compare
  - {id: compare, type: transform, transform: {expr: '{"stations": $.total}'}, next: exit}
  - {id: few, type: transform, transform: {expr: '{"stations": 1}'}, next: exit}
  - {id: exit, type: exit, result: {expr: $.merge}}
`;

/** The same, and each station waits in many short steps, as the items of a loop. */
export const busy = `version: "1.0"
executionLimits: {maxNodeExecutions: 20000}
tools:
${indented(sixty.replaceAll(/type: wait, ms: 5/g, 'type: graph, graph: moment, foreach: {items: {expr: "[1..700]"}, concurrency: 3}'))}
${indented(`name: moment
description: Waits for a moment
inputSchema: {type: object}
outputSchema: {type: object}
nodes:
  - {id: entry, type: entry, next: pause}
  - {id: pause, type: wait, ms: 20, next: exit}
  - {id: exit, type: exit, result: {done: true}}
`)}
`;

function indented(tool: string): string {
  return `  - ${tool.trimEnd().replaceAll("\n", "\n    ")}`;
}

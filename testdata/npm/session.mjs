// A session of the official TypeScript client, which validates structured content against
// the output schemas of tools. Arguments: --url URL, or a command line. It prints a line of
// JSON with what the session has seen; a test of Go compares that.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [first, ...rest] = process.argv.slice(2);
const transport =
  first === "--url"
    ? new StreamableHTTPClientTransport(new URL(rest[0]))
    : new StdioClientTransport({ command: first, args: rest, env: process.env, stderr: "inherit" });

const double = `
name: double
description: Doubles a number
inputSchema: {type: object, properties: {n: {type: number}}, required: [n]}
outputSchema: {type: object, properties: {n: {type: number}}, required: [n]}
nodes:
  - {id: entry, type: entry, next: twice}
  - {id: twice, type: transform, transform: {expr: '{"n": $.entry.n * 2}'}, next: exit}
  - {id: exit, type: exit}
`;
const waits = `
nodes:
  - {id: entry, type: entry, next: rest}
  - {id: rest, type: wait, ms: 120000, next: exit}
  - {id: exit, type: exit}
`;

const seen = {};
const client = new Client({ name: "session", version: "1.0.0" });
await client.connect(transport);
seen.server = client.getServerVersion().name;

const call = async (name, args, options) => {
  const r = await client.callTool({ name, arguments: args }, undefined, options);
  if (r.isError) throw new Error(`${name}: ${r.content[0].text}`);
  return r.structuredContent;
};
seen.tools = (await client.listTools()).tools.length >= 10;
seen.found = (await call("search_nodes", { query: "transform data" })).results.length > 0;
seen.valid = (await call("validate_graph", { graph: double })).valid;
seen.ran = (await call("run_graph", { graph: double, arguments: { n: 21 } })).result;
seen.saved = (await call("save_graph", { graph: double })).name;
const { tools } = await client.listTools(); // from here on, results of the new tool are validated
seen.validated = tools.some((t) => t.name === "double" && t.outputSchema);
seen.called = await call("double", { n: 4 });

const abort = new AbortController();
try {
  await call("run_graph", { graph: waits, arguments: {} }, {
    signal: abort.signal,
    onprogress: () => {
      seen.progress = true;
      abort.abort("enough");
    },
  });
} catch (e) {
  if (!abort.signal.aborted) throw e;
  seen.cancelled = true;
}
seen.works = (await call("run_graph", { name: "double", arguments: { n: 1 } })).result;
await client.close();
console.log(JSON.stringify(seen));

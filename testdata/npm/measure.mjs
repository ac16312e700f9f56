// Measures an MCP server as docs/comparison.md has it: started five times over stdio by the
// official client, the shortest time from the start of the process to the reply of
// initialize, and how many tools it lists in how many bytes.
//
//   node testdata/npm/measure.mjs COMMAND [ARGUMENT…]
import { performance } from "node:perf_hooks";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [command, ...args] = process.argv.slice(2);
let least = Infinity;
let tools = [];
for (let i = 0; i < 5; i++) {
  const client = new Client({ name: "measure", version: "1" });
  const began = performance.now();
  await client.connect(new StdioClientTransport({ command, args, env: process.env, stderr: "ignore" }));
  least = Math.min(least, performance.now() - began);
  tools = [];
  for (let cursor; ; ) {
    const page = await client.listTools({ cursor });
    tools.push(...page.tools);
    if (!(cursor = page.nextCursor)) break;
  }
  await client.close();
}
const bytes = Buffer.byteLength(JSON.stringify(tools));
console.log(`${least.toFixed(0)} ms to the reply of initialize, ${tools.length} tools, ${bytes} bytes of definitions`);

// Measures an MCP server as docs/comparison.md has it: started five times by the official
// client over stdio, or with --http reached at a URL as soon as it answers there; the shortest
// time from the start of the process to the reply of initialize, and how many tools it lists
// in how many bytes.
//
//   node testdata/npm/measure.mjs [--http URL] COMMAND [ARGUMENT…]
import { spawn } from "node:child_process";
import { performance } from "node:perf_hooks";
import { setTimeout as later } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const given = process.argv.slice(2);
const url = given[0] === "--http" ? new URL(given.splice(0, 2)[1]) : undefined;
const [command, ...args] = given;
let least = Infinity;
let tools = [];
for (let i = 0; i < 5; i++) {
  const began = performance.now();
  let client = new Client({ name: "measure", version: "1" });
  let child;
  if (url) {
    child = spawn(command, args, { stdio: "ignore" });
    while (true) {
      try {
        await client.connect(new StreamableHTTPClientTransport(url));
        break;
      } catch {
        await later(5);
        client = new Client({ name: "measure", version: "1" });
      }
    }
  } else {
    await client.connect(new StdioClientTransport({ command, args, env: process.env, stderr: "ignore" }));
  }
  least = Math.min(least, performance.now() - began);
  tools = [];
  for (let cursor; ; ) {
    const page = await client.listTools({ cursor });
    tools.push(...page.tools);
    if (!(cursor = page.nextCursor)) break;
  }
  await client.close();
  if (child) {
    const ended = new Promise((done) => child.on("exit", done));
    child.kill();
    await ended;
  }
}
const bytes = Buffer.byteLength(JSON.stringify(tools));
console.log(`${least.toFixed(0)} ms to the reply of initialize, ${tools.length} tools, ${bytes} bytes of definitions`);

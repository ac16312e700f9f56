// The official TypeScript client lists the tools of a server and calls each. Arguments: a
// command line. It prints a line of JSON: {tools, refused: {name: why}}.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: "accepts", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command, args, env: process.env, stderr: "inherit" }));
const { tools } = await client.listTools();
for (const list of ["listResources", "listResourceTemplates", "listPrompts"]) await client[list]();
const refused = {};
for (const { name } of tools.filter((t) => t.name.startsWith("odd__"))) {
  try {
    await client.callTool({ name, arguments: {} });
  } catch (e) {
    refused[name] = String(e.message);
  }
}
await client.close();
console.log(JSON.stringify({ tools, refused }));

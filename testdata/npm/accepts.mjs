// The official TypeScript client lists the tools of a server and calls those of other servers
// behind it, tools of APIs with arguments that fit. Arguments: a command line. It prints a line of JSON: {tools, refused: {name: why}}.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: "accepts", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command, args, env: process.env, stderr: "inherit" }));
const { tools } = await client.listTools();
for (const list of ["listResources", "listResourceTemplates", "listPrompts"]) await client[list]();

// A value that fits a schema of the test's own documents.
function sample(s, root) {
  if (s.$ref) {
    const value = sample(root.$defs[s.$ref.slice(8)], root);
    return s.properties ? { ...value, ...sample({ ...s, $ref: undefined }, root) } : value;
  }
  if (s.const !== undefined) return s.const;
  for (const list of [s.enum, s.examples]) if (list) return list[0];
  const type = [s.type].flat()[0];
  if (s.anyOf && type !== "object") return sample(s.anyOf[0], root);
  if (type === "object" || s.properties) {
    const of = (name) => sample(s.properties?.[name] ?? {}, root);
    return Object.fromEntries([...(s.required ?? []), ...(s.anyOf?.[0].required ?? [])].map((name) => [name, of(name)]));
  }
  if (type === "array") return Array.from({ length: s.minItems ?? 0 }, () => sample(s.items, root));
  if (type === "integer" || type === "number") return s.minimum ?? 1;
  if (type === "boolean") return true;
  return s.contentEncoding ? "aGk=" : "x".repeat(s.minLength ?? 1);
}

const refused = {};
for (const { name, inputSchema } of tools.filter((t) => t.name.includes("__"))) {
  try {
    await client.callTool({ name, arguments: name.startsWith("odd__") ? {} : sample(inputSchema, inputSchema) });
  } catch (e) {
    refused[name] = String(e.message);
  }
}
await client.close();
console.log(JSON.stringify({ tools, refused }));

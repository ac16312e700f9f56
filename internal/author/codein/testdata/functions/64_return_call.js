async function load(path) {
  if (path === "") return { content: "" };
  return tools.files.read_file({ path });
}

/*
inputSchema: {type: object, properties: {path: {type: string}}, required: [path]}
*/
export default async function returned(input) {
  const f = await load(input.path);
  if (input.path !== "" && (await tools.files.list_dir({ path: "src" })).entries.length > 3) return { n: f.content.length };
  return load("src/a.go");
}
// input {"path": ""}
// input {"path": "src/b.go"}
// input {"path": "gone"}

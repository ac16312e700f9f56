/*
inputSchema: {type: object, properties: {path: {type: string}}, required: [path]}
*/
export default async function logParse(input) {
  const { content } = await tools.files.read_file({ path: input.path });
  const out = content
    .split("\n")
    .map((l) => l.trim())
    .filter((l) => l && !l.startsWith("//"))
    .map((l) => {
      const [key, ...rest] = l.split(" ");
      return { key, rest: rest.join(" ") };
    });
  return out;
}
// input {"path": "src/a.go"}
// input {"path": "src/c.md"}

/*
inputSchema: {type: object, properties: {paths: {type: array, items: {type: string}}}, required: [paths]}
*/
export default async function promiseAll(input) {
  const texts = await Promise.all(input.paths.map(async (path) => {
    const f = await tools.files.read_file({ path });
    return { path, words: f.content.split(/\s+/).filter(Boolean) };
  }));
  const [a, b] = await Promise.all([tools.crm.get_customer({ id: "c1" }), tools.crm.get_customer({ id: "c3" })]);
  return { texts, names: [a.name, b.name].join(" & ") };
}
// input {"paths": []}
// input {"paths": ["src/a.go"]}
// input {"paths": ["src/c.md", "src/b.go"]}
// input {"paths": ["gone"]}

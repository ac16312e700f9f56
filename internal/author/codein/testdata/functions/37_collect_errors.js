/*
inputSchema: {type: object, properties: {paths: {type: array, items: {type: string}}}, required: [paths]}
*/
export default async function collectErrors(input) {
  const ok = [], failed = [];
  for (const path of input.paths) {
    try {
      const { content } = await tools.files.read_file({ path });
      ok.push({ path, size: content.length });
    } catch (err) {
      failed.push(path);
    }
  }
  return { ok, failed, summary: `${ok.length} ok, ${failed.length} failed` };
}
// input {"paths": []}
// input {"paths": ["gone"]}
// input {"paths": ["src/a.go", "gone", "src/b.go"]}

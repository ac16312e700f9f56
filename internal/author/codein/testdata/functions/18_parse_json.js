/*
inputSchema: {type: object, properties: {path: {type: string}}, required: [path]}
*/
export default async function parseJson(input) {
  const { content } = await tools.files.read_file({ path: input.path });
  let conf = { limits: {} };
  let ok = true;
  try { conf = JSON.parse(content); } catch { ok = false; }
  return { ok, max: conf.limits?.max ?? 10, on: Boolean(conf.on), n: (conf.list || []).length, has: conf.list ? "list" : "none" };
}
// input {"path": "src/conf.json"}
// input {"path": "src/broken.json"}
// input {"path": "gone"}

/*
inputSchema: {type: object, properties: {ids: {type: array, items: {type: string}}}, required: [ids]}
*/
export default async function together(input) {
  const customer = async (id) => {
    try {
      return await tools.crm.get_customer({ id });
    } catch {
      return null;
    }
  };
  const size = async (path) => (await tools.files.read_file({ path })).content.length;
  const found = await Promise.all(input.ids.map((id) => customer(id)));
  const [a, b] = await Promise.all([size("src/a.go"), size("src/b.go")]);
  return { names: found.filter((c) => c !== null).map((c) => c.name).sort(), a, b };
}
// input {"ids": ["c2", "c9", "c1"]}
// input {"ids": []}

/*
inputSchema: {type: object, properties: {ids: {type: array, items: {type: string}}}, required: [ids]}
*/
export default async function cached(input) {
  const cache = {};
  const names = [];
  for (const id of input.ids) {
    if (!(id in cache)) {
      cache[id] = await tools.crm.get_customer({ id });
    }
    names.push(cache[id].name);
  }
  return names;
}
// input {"ids": []}
// input {"ids": ["c1"]}
// input {"ids": ["c1", "c2", "c1"]}
// input {"ids": ["c9"]}

/*
inputSchema: {type: object, properties: {ids: {type: array, items: {type: integer}}}, required: [ids]}
*/
export default async function chunks(input) {
  const results = [];
  for (let i = 0; i < input.ids.length; i += 2) {
    const batch = input.ids.slice(i, i + 2);
    const got = await Promise.all(batch.map((id) => tools.shop.get_order({ id })));
    results.push(...got.map((o) => o.amount));
  }
  return { results, sum: results.reduce((a, b) => a + b, 0) };
}
// input {"ids": []}
// input {"ids": [1]}
// input {"ids": [1, 2, 3, 4, 5]}
// input {"ids": [9]}

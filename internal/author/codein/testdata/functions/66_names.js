/*
inputSchema: {type: object, properties: {ids: {type: array, items: {type: integer}}}, required: [ids]}
*/
export default async function names(input) {
  const calls = [];
  for (let i2 = 0; i2 < 2; i2++) {
    for (const id of input.ids) calls.push(`${i2} ${(await tools.shop.get_order({ id })).status}`);
  }
  return calls;
}
// input {"ids": []}
// input {"ids": [1, 2]}

/*
inputSchema: {type: object, properties: {ids: {type: array, items: {type: integer}}}, required: [ids]}
*/
export default async function twoCalls(input) {
  const results = await Promise.all(input.ids.map(async (id) => {
    const o = await tools.shop.get_order({ id });
    const c = await tools.crm.get_customer({ id: o.customerId });
    return { id, name: c.name, amount: o.amount };
  }));
  return results.filter((r) => r.amount > 5);
}
// input {"ids": []}
// input {"ids": [1]}
// input {"ids": [1, 2, 5]}
// input {"ids": [4]}

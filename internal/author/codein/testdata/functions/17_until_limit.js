/*
inputSchema: {type: object, properties: {limit: {type: number}}, required: [limit]}
*/
export default async function untilLimit(input) {
  let sum = 0, page = 0, cursor = null;
  const used = [];
  while (sum < input.limit) {
    const r = await tools.shop.list_orders(cursor ? { cursor } : {});
    page++;
    for (const o of r.orders) {
      if (sum >= input.limit) break;
      sum += o.amount;
      used.push(o.id);
    }
    if (!r.nextCursor) break;
    cursor = r.nextCursor;
  }
  return { sum, page, used };
}
// input {"limit": 0}
// input {"limit": 1}
// input {"limit": 150}
// input {"limit": 9999}

/*
inputSchema: {type: object, properties: {limit: {type: integer}}, required: [limit]}
*/
export default async function groupBy(input) {
  const { orders } = await tools.shop.list_orders({ limit: input.limit });
  const groups = {};
  for (const o of orders) {
    if (!groups[o.customerId]) groups[o.customerId] = [];
    groups[o.customerId].push(o.amount);
  }
  return Object.entries(groups).map(([customer, amounts]) => ({ customer, n: amounts.length, total: amounts.reduce((a, b) => a + b, 0) }));
}
// input {"limit": 0}
// input {"limit": 1}
// input {"limit": 5}

/*
inputSchema: {type: object, properties: {}, required: []}
*/
export default async function mapClass(input) {
  const { orders } = await tools.shop.list_orders({ limit: 10 });
  const m = new Map();
  for (const o of orders) m.set(o.customerId, (m.get(o.customerId) || 0) + 1);
  return [...m.entries()].sort((a, b) => b[1] - a[1]).map(([id, n]) => ({ id, n }));
}
// input {}

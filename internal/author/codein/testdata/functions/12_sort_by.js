/*
inputSchema: {type: object, properties: {}, required: []}
*/
export default async function sortBy(input) {
  const { orders } = await tools.shop.list_orders({ limit: 10 });
  const sorted = [...orders].sort((a, b) => b.amount - a.amount || a.id - b.id);
  return { ids: sorted.map(o => o.id), customers: orders.map(o => o.customerId).sort() };
}
// input {}

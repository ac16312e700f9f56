/*
inputSchema: {type: object, properties: {limit: {type: integer}}, required: []}
*/
export default async function ordersWithNames(input) {
  const { orders } = await tools.shop.list_orders({ limit: input.limit ?? 3 });
  const ids = [...new Set(orders.map(o => o.customerId))];
  const byId = {};
  for (const id of ids) byId[id] = await tools.crm.get_customer({ id });
  return orders.map(o => ({ id: o.id, name: byId[o.customerId].name, city: byId[o.customerId].city ?? "unknown" }));
}
// input {}
// input {"limit": 1}
// input {"limit": 3}
// input {"limit": 5}

/*
inputSchema: {type: object, properties: {}, required: []}
*/
export default async function diff(input) {
  const [a, b] = await Promise.all([
    tools.shop.list_orders({ status: "open", limit: 10 }),
    tools.shop.list_orders({ limit: 10 }),
  ]);
  const open = new Set(a.orders.map((o) => o.id));
  const closed = b.orders.filter((o) => !open.has(o.id));
  return { open: open.size, closed: closed.map((o) => o.id) };
}
// input {}

/*
inputSchema: {type: object, properties: {pageSize: {type: integer}}, required: []}
*/
export default async function whileTrue(input) {
  const items = [];
  let cursor = undefined;
  while (true) {
    const res = await tools.shop.list_orders({ cursor, limit: input.pageSize || 3 });
    items.push(...res.orders.filter((o) => o.amount > 0));
    if (!res.nextCursor || items.length >= 5) break;
    cursor = res.nextCursor;
  }
  return items.slice(0, 5);
}
// input {}
// input {"pageSize": 1}
// input {"pageSize": 9}

/*
inputSchema: {type: object, properties: {status: {type: string}}, required: []}
*/
export default async function allOrders(input) {
  const all = [];
  let cursor;
  do {
    const page = await tools.shop.list_orders({ cursor, status: input.status, limit: 2 });
    all.push(...page.orders);
    cursor = page.nextCursor;
  } while (cursor);
  return { count: all.length, ids: all.map(o => o.id) };
}
// input {}
// input {"status": "open"}
// input {"status": "none"}

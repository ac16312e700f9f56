/*
inputSchema: {type: object, properties: {limit: {type: integer}}, required: [limit]}
*/
export default async function best(input) {
  let top = null;
  let cursor;
  do {
    const page = await tools.shop.list_orders({ cursor, limit: input.limit });
    for (const o of page.orders) {
      if (top === null || o.amount > top.amount) top = o;
    }
    cursor = page.nextCursor;
  } while (cursor);
  if (top === null) return null;
  return { id: top.id, tags: top.tags.join("+") };
}
// input {"limit": 1}
// input {"limit": 2}
// input {"limit": 9}

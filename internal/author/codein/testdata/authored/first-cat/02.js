/*
description: Finds the order with the largest amount
inputSchema: {type: object, properties: {}}
*/
export default async function largest_order(input) {
  let best = null;
  let cursor;
  do {
    const page = await tools.shop.list_orders({ cursor, limit: 50 });
    for (const order of page.orders) {
      if (best == null || order.amount > best.amount) {
        best = { id: order.id, amount: order.amount };
      }
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return best;
}

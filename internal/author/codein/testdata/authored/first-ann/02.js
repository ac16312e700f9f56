/*
description: Finds the order with the largest amount
inputSchema: {type: object, properties: {}}
*/
export default async function largest_order(input) {
  let cursor;
  let best = null;
  do {
    const { orders, nextCursor } = await tools.shop.list_orders({ cursor });
    for (const { id, amount } of orders) {
      if (best === null || amount > best.amount) best = { id, amount };
    }
    cursor = nextCursor;
  } while (cursor !== undefined);
  return best;
}

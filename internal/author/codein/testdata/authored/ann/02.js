/*
description: Finds the order with the largest amount
inputSchema: {type: object, properties: {}}
*/
export default async function largest_order(input) {
  let cursor;
  let found = false;
  let best = { id: 0, amount: 0 };
  do {
    const { orders, nextCursor } = await tools.shop.list_orders({ cursor });
    for (const { id, amount } of orders) {
      if (!found || amount > best.amount) best = { id, amount };
      found = true;
    }
    cursor = nextCursor;
  } while (cursor !== undefined);
  return found ? best : null;
}

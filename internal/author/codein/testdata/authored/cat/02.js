/*
description: Finds the order with the largest amount
inputSchema: {type: object, properties: {}}
*/
export default async function largest_order(input) {
  let found = false;
  let id = 0;
  let amount = 0;
  let cursor;
  do {
    const page = await tools.shop.list_orders({ cursor, limit: 50 });
    for (const order of page.orders) {
      if (!found || order.amount > amount) {
        found = true;
        id = order.id;
        amount = order.amount;
      }
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  if (!found) return null;
  return { id, amount };
}

/*
description: Groups the ids of all orders by their status
inputSchema: {type: object, properties: {}}
*/
export default async function orders_by_status(input) {
  const groups = {};
  let cursor;
  do {
    const page = await tools.shop.list_orders({ cursor, limit: 50 });
    for (const order of page.orders) {
      if (!(order.status in groups)) {
        groups[order.status] = [];
      }
      groups[order.status].push(order.id);
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  for (const status of Object.keys(groups)) {
    groups[status].sort((a, b) => a - b);
  }
  return groups;
}

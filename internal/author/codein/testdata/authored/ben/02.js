/*
description: Finds the order with the largest amount
inputSchema: {type: object, properties: {}}
*/
export default async function largest_order(input) {
  const orders = [];
  let cursor;
  do {
    const page = await tools.shop.list_orders({ limit: 100, cursor });
    orders.push(...page.orders);
    cursor = page.nextCursor;
  } while (cursor !== undefined);

  if (orders.length === 0) return null;

  const largest = orders.reduce(
    (best, order) => (order.amount > best.amount ? order : best),
    orders[0],
  );
  return { id: largest.id, amount: largest.amount };
}

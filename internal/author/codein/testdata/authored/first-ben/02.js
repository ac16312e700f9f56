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

  const largest = orders.reduce(
    (best, order) => (best === null || order.amount > best.amount ? order : best),
    null,
  );
  return largest ? { id: largest.id, amount: largest.amount } : null;
}

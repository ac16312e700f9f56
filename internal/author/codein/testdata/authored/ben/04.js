/*
description: Groups the ids of all orders by status
inputSchema: {type: object, properties: {}}
*/
export default async function orders_by_status(input) {
  const orders = [];
  let cursor;
  do {
    const page = await tools.shop.list_orders({ limit: 100, cursor });
    orders.push(...page.orders);
    cursor = page.nextCursor;
  } while (cursor !== undefined);

  const groups = orders.reduce(
    (acc, { id, status }) => ({ ...acc, [status]: [...(acc[status] ?? []), id] }),
    {},
  );
  return Object.fromEntries(
    Object.entries(groups).map(([status, ids]) => [status, [...ids].sort((a, b) => a - b)]),
  );
}

const allOrders = async () => {
  let all = [];
  let cursor;
  do {
    const { orders, nextCursor } = await tools.shop.list_orders({ cursor });
    all = [...all, ...orders];
    cursor = nextCursor;
  } while (cursor !== undefined);
  return all;
};

/*
description: Groups the ids of all orders by status
inputSchema: {type: object, properties: {}}
*/
export default async function orders_by_status(input) {
  const orders = await allOrders();
  const groups = {};
  for (const { id, status } of orders) {
    groups[status] = [...(groups[status] ?? []), id];
  }
  return Object.fromEntries(
    Object.entries(groups).map(([status, ids]) => [status, [...ids].sort((a, b) => a - b)]),
  );
}

/*
description: Counts and sums the amounts of all orders of a status
inputSchema: {type: object, properties: {status: {type: string}}, required: [status]}
*/
export default async function sum_open(input) {
  const orders = [];
  let cursor;
  do {
    const page = await tools.shop.list_orders({ status: input.status, limit: 100, cursor });
    orders.push(...page.orders);
    cursor = page.nextCursor;
  } while (cursor !== undefined);

  return {
    count: orders.length,
    sum: orders.reduce((sum, order) => sum + order.amount, 0),
  };
}

/*
description: Counts the orders of a status and sums their amounts
inputSchema: {type: object, properties: {status: {type: string}}, required: [status]}
*/
export default async function sum_open(input) {
  let count = 0;
  let sum = 0;
  let cursor;
  do {
    const page = await tools.shop.list_orders({ cursor, limit: 50, status: input.status });
    for (const order of page.orders) {
      count++;
      sum += order.amount;
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return { count, sum };
}

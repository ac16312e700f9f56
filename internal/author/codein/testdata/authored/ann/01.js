/*
description: Counts and sums the amounts of all orders of a status
inputSchema: {type: object, properties: {status: {type: string}}, required: [status]}
*/
export default async function sum_open(input) {
  const { status } = input;
  let cursor;
  let count = 0;
  let sum = 0;
  do {
    const { orders, nextCursor } = await tools.shop.list_orders({ cursor, status });
    for (const { amount } of orders) {
      count++;
      sum += amount;
    }
    cursor = nextCursor;
  } while (cursor !== undefined);
  return { count, sum };
}

/*
description: Adds a note to the customer of each order over a limit
inputSchema: {type: object, properties: {limit: {type: number}, text: {type: string}}, required: [limit, text]}
executionLimits: {maxNodeExecutions: 20000}
*/
export default async function note_big_orders(input) {
  const { limit, text } = input;
  let cursor;
  let noted = 0;
  do {
    const { orders, nextCursor } = await tools.shop.list_orders({ cursor });
    const big = orders.filter(({ amount }) => amount > limit);
    for (const { id, customerId } of big) {
      const { ok } = await tools.crm.add_note({ id: customerId, text: `${text} (order ${id})` });
      if (ok) noted++;
    }
    cursor = nextCursor;
  } while (cursor !== undefined);
  return { noted };
}

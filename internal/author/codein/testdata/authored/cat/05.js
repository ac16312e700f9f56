/*
description: Adds a note to the customer of each order over a limit
inputSchema: {type: object, properties: {limit: {type: number}, text: {type: string}}, required: [limit, text]}
executionLimits: {maxNodeExecutions: 20000}
*/
export default async function note_big_orders(input) {
  let noted = 0;
  let cursor;
  do {
    const page = await tools.shop.list_orders({ cursor, limit: 50 });
    for (const order of page.orders) {
      if (order.amount <= input.limit) continue;
      const note = await tools.crm.add_note({
        id: order.customerId,
        text: `${input.text} (order ${order.id})`,
      });
      if (note.ok) noted++;
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return { noted };
}

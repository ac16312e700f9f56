/*
description: Adds a note to the customer of each order over a limit
inputSchema: {type: object, properties: {limit: {type: number}, text: {type: string}}, required: [limit, text]}
*/
export default async function note_big_orders(input) {
  const orders = [];
  let cursor;
  do {
    const page = await tools.shop.list_orders({ limit: 100, cursor });
    orders.push(...page.orders);
    cursor = page.nextCursor;
  } while (cursor !== undefined);

  const results = await Promise.all(
    orders
      .filter((order) => order.amount > input.limit)
      .map(async (order) =>
        tools.crm.add_note({ id: order.customerId, text: `${input.text} (order ${order.id})` }),
      ),
  );
  return { noted: results.filter((result) => result.ok).length };
}

/*
description: Gives a page of the table of all orders, largest amounts first
inputSchema: {type: object, properties: {page: {type: integer}, size: {type: integer}}, required: [page, size]}
*/
export default async function page_of_table(input) {
  const { page, size } = input;
  const orders = [];
  let cursor;
  do {
    const result = await tools.shop.list_orders({ limit: 100, cursor });
    orders.push(...result.orders);
    cursor = result.nextCursor;
  } while (cursor !== undefined);

  const sorted = [...orders].sort((a, b) => b.amount - a.amount || a.id - b.id);
  const text = sorted
    .slice((page - 1) * size, page * size)
    .map((order) => `#${order.id}  ${order.amount.toFixed(2)}`)
    .join("\n");

  return { text, pages: Math.ceil(sorted.length / size) };
}

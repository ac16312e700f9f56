/*
description: Writes a page of the table of all orders, largest first
inputSchema: {type: object, properties: {page: {type: integer}, size: {type: integer}}, required: [page, size]}
*/
export default async function page_of_table(input) {
  const { page, size } = input;

  const allOrders = async () => {
    const all = [];
    let cursor;
    do {
      const { orders, nextCursor } = await tools.shop.list_orders({ cursor });
      all.push(...orders);
      cursor = nextCursor;
    } while (cursor !== undefined);
    return all;
  };

  const orders = await allOrders();
  const sorted = [...orders].sort((a, b) => b.amount - a.amount || a.id - b.id);
  const start = (page - 1) * size;
  const text = sorted
    .slice(start, start + size)
    .map(({ id, amount }) => `#${id}  ${amount.toFixed(2)}`)
    .join('\n');
  return { text, pages: Math.ceil(orders.length / size) };
}

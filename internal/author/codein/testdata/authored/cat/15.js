/*
description: Gives one page of the table of all orders as text
inputSchema: {type: object, properties: {page: {type: integer}, size: {type: integer}}, required: [page, size]}
*/
export default async function page_of_table(input) {
  const all = [];
  let cursor;
  do {
    const page = await tools.shop.list_orders({ cursor, limit: 50 });
    for (const order of page.orders) {
      all.push({ id: order.id, amount: order.amount });
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined);

  all.sort((a, b) => {
    if (a.amount !== b.amount) return b.amount - a.amount;
    return a.id - b.id;
  });

  const pages = Math.ceil(all.length / input.size);
  const start = (input.page - 1) * input.size;
  const lines = [];
  for (const order of all.slice(start, start + input.size)) {
    lines.push(`#${order.id}  ${order.amount.toFixed(2)}`);
  }
  return { text: lines.join("\n"), pages };
}

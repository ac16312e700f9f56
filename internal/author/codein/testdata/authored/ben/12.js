/*
description: Counts the orders of each tag
inputSchema: {type: object, properties: {}}
*/
export default async function tag_index(input) {
  const orders = [];
  let cursor;
  do {
    const page = await tools.shop.list_orders({ limit: 100, cursor });
    orders.push(...page.orders);
    cursor = page.nextCursor;
  } while (cursor !== undefined);

  const tags = [...new Set(orders.flatMap((order) => order.tags))];
  return tags
    .map((tag) => ({ tag, orders: orders.filter((order) => order.tags.includes(tag)).length }))
    .sort((a, b) => b.orders - a.orders || (a.tag < b.tag ? -1 : a.tag > b.tag ? 1 : 0));
}

const allOrders = async () => {
  let all = [];
  let cursor;
  do {
    const { orders, nextCursor } = await tools.shop.list_orders({ cursor });
    all = [...all, ...orders];
    cursor = nextCursor;
  } while (cursor !== undefined);
  return all;
};

const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/*
description: Counts the orders of each tag
inputSchema: {type: object, properties: {}}
*/
export default async function tag_index(input) {
  const all = await allOrders();
  const tags = [...new Set(all.flatMap(({ tags }) => tags))];
  return tags
    .map((tag) => ({ tag, orders: all.filter((order) => order.tags.includes(tag)).length }))
    .sort((a, b) => b.orders - a.orders || compare(a.tag, b.tag));
}

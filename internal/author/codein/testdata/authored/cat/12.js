/*
description: Counts for each tag the orders that have it
inputSchema: {type: object, properties: {}}
*/
export default async function tag_index(input) {
  const counts = {};
  let cursor;
  do {
    const page = await tools.shop.list_orders({ cursor, limit: 50 });
    for (const order of page.orders) {
      for (const tag of [...new Set(order.tags)]) {
        if (tag in counts) {
          counts[tag] += 1;
        } else {
          counts[tag] = 1;
        }
      }
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined);

  const out = [];
  for (const tag of Object.keys(counts)) {
    out.push({ tag, orders: counts[tag] });
  }
  out.sort((a, b) => {
    if (a.orders !== b.orders) return b.orders - a.orders;
    if (a.tag < b.tag) return -1;
    if (a.tag > b.tag) return 1;
    return 0;
  });
  return out;
}

export default async function ids(input) {
  const all = [];
  let page = { next: 0 };
  while (page.next !== null) {
    page = await tools.shop.list_orders({ cursor: page.next });
    all.push(page.id);
  }
  return all;
}

/*
description: Counts by shelf the products of which fewer than ten pieces are in stock
*/
export default async function low_stock() {
  const { products } = await tools.shop.list_products({});
  const stock = await Promise.all(products.map(p => tools.shop.get_stock({ sku: p.sku })));
  const shelves = {};
  products.forEach((p, i) => {
    if (stock[i].pieces < 10) shelves[p.shelf[0]] = (shelves[p.shelf[0]] ?? 0) + 1;
  });
  return { shelves };
}

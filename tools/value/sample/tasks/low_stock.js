/*
name: low_stock
description: Counts by shelf the products of which fewer than ten pieces are in stock
inputSchema: {type: object, properties: {}}
outputSchema: {type: object, properties: {shelves: {type: object}}, required: [shelves]}
*/
export default async function low_stock() {
  const { products } = await tools.shop.list_products({});
  const stock = await Promise.all(products.map(p => tools.shop.get_stock({ sku: p.sku })));
  const shelves = {};
  for (let i = 0; i < products.length; i++) {
    const shelf = products[i].shelf.slice(0, 1);
    if (stock[i].pieces < 10) shelves[shelf] = (shelves[shelf] ?? 0) + 1;
  }
  return { shelves };
}

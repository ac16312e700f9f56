import { shop } from "./tools";

const { products } = await shop.listProducts({});
const shelves: Record<string, number> = {};
for (const product of products) {
  const { pieces } = await shop.getStock({ sku: product.sku });
  if (pieces < 10) {
    const shelf = product.shelf.slice(0, 1);
    shelves[shelf] = (shelves[shelf] ?? 0) + 1;
  }
}
console.log(JSON.stringify({ shelves }));

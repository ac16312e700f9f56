import { shop } from "./tools";

const { orders } = await shop.listOrders({});
const countries = new Map<string, string>();
const sales: Record<string, number> = {};
for (const order of orders) {
  if (!countries.has(order.customer)) {
    countries.set(order.customer, (await shop.getCustomer({ id: order.customer })).country);
  }
  const country = countries.get(order.customer)!;
  sales[country] = (sales[country] ?? 0) + order.amount;
}
for (const country in sales) sales[country] = Math.round(sales[country] * 100) / 100;
console.log(JSON.stringify({ sales }));

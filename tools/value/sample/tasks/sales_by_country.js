/*
description: Adds up the amounts of the orders by the country of the customer
*/
export default async function sales_by_country() {
  const { orders } = await tools.shop.list_orders({});
  const ids = [...new Set(orders.map(o => o.customer))];
  const customers = await Promise.all(ids.map(id => tools.shop.get_customer({ id })));
  const country = Object.fromEntries(customers.map(c => [c.id, c.country]));
  const sales = {};
  for (const o of orders) sales[country[o.customer]] = (sales[country[o.customer]] ?? 0) + o.amount;
  for (const name of Object.keys(sales)) sales[name] = Math.round(sales[name] * 100) / 100;
  return { sales };
}

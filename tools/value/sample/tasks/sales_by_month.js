/*
description: Adds up the amounts of a CSV table of orders by month
*/
export default async function sales_by_month() {
  const { text } = await tools.files.read_table({});
  const sales = {};
  for (const line of text.split("\n").slice(1)) {
    const [, , amount, day] = line.split(",");
    const month = day.slice(0, 7);
    sales[month] = (sales[month] ?? 0) + Number(amount);
  }
  for (const month of Object.keys(sales)) sales[month] = Math.round(sales[month] * 100) / 100;
  return { sales };
}

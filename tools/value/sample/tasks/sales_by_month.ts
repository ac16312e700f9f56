import { files } from "./tools";

const { text } = await files.readTable({});
const sales: Record<string, number> = {};
for (const line of text.split("\n").slice(1)) {
  const [, , amount, day] = line.split(",");
  const month = day.slice(0, 7);
  sales[month] = (sales[month] ?? 0) + Number(amount);
}
for (const month in sales) sales[month] = Math.round(sales[month] * 100) / 100;
console.log(JSON.stringify({ sales }));

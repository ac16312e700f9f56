/*
inputSchema: {type: object, properties: {over: {type: number}}, required: [over]}
*/
export default async function stats(input) {
  const { orders } = await tools.shop.list_orders({ limit: 100 });
  const amounts = orders.map((o) => o.amount).sort((a, b) => a - b);
  const n = amounts.length;
  const mid = Math.floor(n / 2);
  const median = n % 2 ? amounts[mid] : (amounts[mid - 1] + amounts[mid]) / 2;
  const max = Math.max(...amounts);
  return { n, median, max, min: amounts[0], above: amounts.filter((a) => a > input.over).length };
}
// input {"over": 20}
// input {"over": -1}

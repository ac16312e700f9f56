/*
inputSchema: {type: object, properties: {}, required: []}
*/
export default async function entriesLoop(input) {
  const { orders } = await tools.shop.list_orders({ limit: 10 });
  const byStatus = {};
  for (const o of orders) {
    byStatus[o.status] ??= { count: 0, sum: 0 };
    byStatus[o.status].count++;
    byStatus[o.status].sum += o.amount;
  }
  const lines = [];
  for (const [status, s] of Object.entries(byStatus)) {
    lines.push(`${status}: ${s.count} orders, ${s.sum.toFixed(2)}`);
  }
  return lines.join("\n");
}
// input {}

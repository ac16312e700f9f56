/*
inputSchema: {type: object, properties: {limit: {type: integer}}, required: [limit]}
*/
export default async function report(input) {
  const { orders } = await tools.shop.list_orders({ limit: input.limit });
  const lines = orders.map((o, i) => `${i + 1}. #${String(o.id).padStart(3, "0")} ${o.status.toUpperCase()} ${o.amount.toFixed(2)}${o.tags.length ? " [" + o.tags.join("|") + "]" : ""}`);
  const total = orders.reduce((s, o) => s + o.amount, 0);
  return [`Orders: ${orders.length}`, ...lines, "Total: " + total.toFixed(2), `Mean: ${orders.length ? Math.round(total / orders.length) : "-"}`].join("\n");
}
// input {"limit": 0}
// input {"limit": 1}
// input {"limit": 5}

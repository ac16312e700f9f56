/*
inputSchema: {type: object, properties: {limit: {type: integer}, status: {type: string}}, required: [limit]}
*/
export default async function table(input) {
  const { orders } = await tools.shop.list_orders({ limit: input.limit });
  const header = "| id | status | amount |\n|---|---|--:|";
  const rows = orders
    .filter((o) => !input.status || o.status === input.status)
    .map((o) => `| ${o.id} | ${o.status} | ${o.amount} |`);
  return rows.length === 0 ? "nothing" : [header, ...rows].join("\n");
}
// input {"limit": 5}
// input {"limit": 5, "status": "open"}
// input {"limit": 5, "status": "no"}

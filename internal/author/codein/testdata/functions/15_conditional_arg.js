/*
inputSchema: {type: object, properties: {status: {type: string}}, required: []}
*/
export default async function conditionalArg(input) {
  const r = await tools.shop.list_orders({ limit: 5, ...(input.status ? { status: input.status } : {}) });
  const second = r.nextCursor ? await tools.shop.list_orders({ cursor: r.nextCursor }) : null;
  return { first: r.orders.map(o => o.id), second: second?.orders.map(o => o.id) ?? [] };
}
// input {}
// input {"status": "open"}

/*
inputSchema: {type: object, properties: {id: {type: integer}, check: {type: boolean}}, required: []}
*/
export default async function awaitInCond(input) {
  if ((await tools.shop.list_orders({ status: "open" })).orders.length > 2 && input.check) {
    const last = (await tools.shop.list_orders({ status: "open", limit: 10 })).orders.at(-1);
    return last.id;
  }
  const first = input.id ? (await tools.shop.get_order({ id: input.id })).amount : 0;
  return first + 1;
}
// input {}
// input {"check": true}
// input {"id": 2}
// input {"id": 9}

/*
inputSchema: {type: object, properties: {id: {type: integer}}, required: [id]}
*/
export default async function switchKind(input) {
  const o = await tools.shop.get_order({ id: input.id });
  switch (o.status) {
    case "open": return { action: "remind" };
    case "paid": {
      const c = await tools.crm.get_customer({ id: o.customerId });
      return { action: "thank", who: c.name };
    }
    default: return { action: "none" };
  }
}
// input {"id": 1}
// input {"id": 2}
// input {"id": 3}
// input {"id": 4}
// input {"id": 5}
// input {"id": 6}

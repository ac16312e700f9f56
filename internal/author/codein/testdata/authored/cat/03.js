/*
description: Gives the name of the customer of each order
inputSchema: {type: object, properties: {ids: {type: array, items: {type: integer}}}, required: [ids]}
*/
export default async function customers_of_orders(input) {
  const out = [];
  for (const id of input.ids) {
    const order = await tools.shop.get_order({ id });
    let name = "unknown";
    try {
      const customer = await tools.crm.get_customer({ id: order.customerId });
      name = customer.name;
    } catch (e) {
      name = "unknown";
    }
    out.push({ id, name });
  }
  return out;
}

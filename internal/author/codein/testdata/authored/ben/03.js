/*
description: Gives the name of the customer of each order
inputSchema: {type: object, properties: {ids: {type: array, items: {type: integer}}}, required: [ids]}
*/
export default async function customers_of_orders(input) {
  return await Promise.all(
    input.ids.map(async (id) => {
      const order = await tools.shop.get_order({ id });
      try {
        const customer = await tools.crm.get_customer({ id: order.customerId });
        return { id, name: customer.name };
      } catch {
        return { id, name: "unknown" };
      }
    }),
  );
}

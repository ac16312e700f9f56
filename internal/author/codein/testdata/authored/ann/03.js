/*
description: Names the customers of some orders
inputSchema: {type: object, properties: {ids: {type: array, items: {type: integer}}}, required: [ids]}
*/
export default async function customers_of_orders(input) {
  const nameOf = async (id) => {
    try {
      const { name } = await tools.crm.get_customer({ id });
      return name;
    } catch {
      return 'unknown';
    }
  };

  return await Promise.all(
    input.ids.map(async (id) => {
      const { customerId } = await tools.shop.get_order({ id });
      return { id, name: await nameOf(customerId) };
    }),
  );
}

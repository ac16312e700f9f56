/*
description: Writes a line of text for each order
inputSchema: {type: object, properties: {ids: {type: array, items: {type: integer}}}, required: [ids]}
*/
export default async function order_summary(input) {
  const nameOf = async (id) => {
    try {
      const { name } = await tools.crm.get_customer({ id });
      return name;
    } catch {
      return '?';
    }
  };

  const orderOf = async (id) => {
    try {
      return await tools.shop.get_order({ id });
    } catch {
      return null;
    }
  };

  const lines = await Promise.all(
    input.ids.map(async (id) => {
      const order = await orderOf(id);
      if (order === null) return `${id}: missing`;
      const { amount, status, customerId, tags } = order;
      const name = await nameOf(customerId);
      const suffix = tags.length > 0 ? ` [${tags.join(', ')}]` : '';
      return `${id}: ${amount} ${status.toUpperCase()}, ${name}${suffix}`;
    }),
  );
  return { text: lines.join('\n') };
}

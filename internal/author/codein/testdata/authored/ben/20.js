/*
description: Summarizes orders as text, one line each
inputSchema: {type: object, properties: {ids: {type: array, items: {type: integer}}}, required: [ids]}
*/
export default async function order_summary(input) {
  const lines = await Promise.all(
    input.ids.map(async (id) => {
      let order;
      try {
        order = await tools.shop.get_order({ id });
      } catch {
        return `${id}: missing`;
      }

      let name = "?";
      try {
        const customer = await tools.crm.get_customer({ id: order.customerId });
        name = customer?.name ?? "?";
      } catch {
        name = "?";
      }

      const tags = order.tags?.length > 0 ? ` [${order.tags.join(", ")}]` : "";
      return `${id}: ${order.amount} ${order.status.toUpperCase()}, ${name}${tags}`;
    }),
  );
  return { text: lines.join("\n") };
}

/*
description: Describes orders as text, one line each
inputSchema: {type: object, properties: {ids: {type: array, items: {type: integer}}}, required: [ids]}
*/
export default async function order_summary(input) {
  const lines = [];
  for (const id of input.ids) {
    let order = null;
    try {
      order = await tools.shop.get_order({ id });
    } catch (e) {
      lines.push(`${id}: missing`);
      continue;
    }
    let name = "?";
    try {
      const customer = await tools.crm.get_customer({ id: order.customerId });
      name = customer.name;
    } catch (e) {
      name = "?";
    }
    let line = `${id}: ${order.amount} ${order.status.toUpperCase()}, ${name}`;
    if (order.tags.length > 0) {
      line += ` [${order.tags.join(", ")}]`;
    }
    lines.push(line);
  }
  return { text: lines.join("\n") };
}

/*
description: Gives the price of an order after a discount code
inputSchema: {type: object, properties: {id: {type: integer}, code: {type: string}}, required: [id]}
*/
export default async function discount(input) {
  const order = await tools.shop.get_order({ id: input.id });

  let rate = 0;
  if (input.code !== undefined) {
    switch (input.code) {
      case "TEN":
        rate = 0.1;
        break;
      case "TWENTY":
        rate = 0.2;
        break;
      default:
        throw new Error(`bad code ${input.code}`);
    }
  }

  return { price: Math.round(order.amount * (1 - rate) * 100) / 100 };
}

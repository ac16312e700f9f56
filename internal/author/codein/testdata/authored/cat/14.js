/*
description: Computes the price of an order less the discount of a code
inputSchema: {type: object, properties: {id: {type: integer}, code: {type: string}}, required: [id]}
*/
export default async function discount(input) {
  let percent = 100;
  if (input.code !== undefined) {
    switch (input.code) {
      case "TEN":
        percent = 90;
        break;
      case "TWENTY":
        percent = 80;
        break;
      default:
        throw new Error(`bad code ${input.code}`);
    }
  }
  const order = await tools.shop.get_order({ id: input.id });
  return { price: Math.round(order.amount * percent) / 100 };
}

/*
description: Says the price of an order after a discount
inputSchema: {type: object, properties: {id: {type: integer}, code: {type: string}}, required: [id]}
*/
export default async function discount(input) {
  const { id, code } = input;
  let percent = 0;
  switch (code) {
    case undefined:
      break;
    case 'TEN':
      percent = 10;
      break;
    case 'TWENTY':
      percent = 20;
      break;
    default:
      throw new Error(`bad code ${code}`);
  }
  const { amount } = await tools.shop.get_order({ id });
  return { price: Math.round(amount * (100 - percent)) / 100 };
}

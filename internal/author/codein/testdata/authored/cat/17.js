/*
description: Finds the first customer that exists and has a city
inputSchema: {type: object, properties: {ids: {type: array, items: {type: string}}}, required: [ids]}
*/
export default async function first_ok_customer(input) {
  for (const id of input.ids) {
    let city = null;
    try {
      const customer = await tools.crm.get_customer({ id });
      city = customer.city;
    } catch (e) {
      continue;
    }
    if (city != null) {
      return { id, city };
    }
  }
  throw new Error("none");
}

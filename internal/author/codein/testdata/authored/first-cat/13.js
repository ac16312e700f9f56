/*
description: Lists the cities of customers and counts those without one
inputSchema: {type: object, properties: {ids: {type: array, items: {type: string}}}, required: [ids]}
*/
export default async function city_report(input) {
  const found = await Promise.all(input.ids.map(async (id) => {
    try {
      const customer = await tools.crm.get_customer({ id });
      return customer.city ?? null;
    } catch (e) {
      return null;
    }
  }));
  const cities = [];
  let missing = 0;
  for (const city of found) {
    if (city == null) {
      missing++;
    } else if (!cities.includes(city)) {
      cities.push(city);
    }
  }
  cities.sort();
  return { cities, missing };
}

/*
description: Lists the cities of customers and counts those without one
inputSchema: {type: object, properties: {ids: {type: array, items: {type: string}}}, required: [ids]}
*/
export default async function city_report(input) {
  const cities = await Promise.all(
    input.ids.map(async (id) => {
      try {
        const customer = await tools.crm.get_customer({ id });
        return customer?.city ?? null;
      } catch {
        return null;
      }
    }),
  );

  const found = cities.filter((city) => city !== null);
  return {
    cities: [...new Set(found)].sort(),
    missing: cities.length - found.length,
  };
}

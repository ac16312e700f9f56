/*
description: Lists the cities of some customers and counts those without one
inputSchema: {type: object, properties: {ids: {type: array, items: {type: string}}}, required: [ids]}
*/
export default async function city_report(input) {
  const found = await Promise.all(
    input.ids.map(async (id) => {
      try {
        const { city } = await tools.crm.get_customer({ id });
        return city ?? null;
      } catch {
        return null;
      }
    }),
  );
  const cities = found.filter((city) => city !== null);
  return {
    cities: [...new Set(cities)].sort(),
    missing: found.length - cities.length,
  };
}

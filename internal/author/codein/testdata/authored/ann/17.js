/*
description: Finds the first customer that exists and has a city
inputSchema: {type: object, properties: {ids: {type: array, items: {type: string}}}, required: [ids]}
executionLimits: {maxNodeExecutions: 20000}
*/
export default async function first_ok_customer(input) {
  for (const id of input.ids) {
    try {
      const { city } = await tools.crm.get_customer({ id });
      if (city) return { id, city };
    } catch {
      continue;
    }
  }
  throw new Error('none');
}

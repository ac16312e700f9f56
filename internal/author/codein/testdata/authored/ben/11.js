/*
description: Calls flaky.get until it answers, at most four times
inputSchema: {type: object, properties: {ok_after: {type: integer}}, required: [ok_after]}
*/
export default async function patient_get(input) {
  for (let tries = 1; tries <= 4; tries++) {
    try {
      const { value } = await tools.flaky.get({ ok_after: input.ok_after });
      return { value, tries };
    } catch {
      // try again
    }
  }
  throw new Error("gave up");
}

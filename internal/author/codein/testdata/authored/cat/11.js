/*
description: Calls flaky.get until it answers, at most four times
inputSchema: {type: object, properties: {ok_after: {type: integer}}, required: [ok_after]}
*/
export default async function patient_get(input) {
  let tries = 0;
  while (tries < 4) {
    tries++;
    try {
      const answer = await tools.flaky.get({ ok_after: input.ok_after });
      return { value: answer.value, tries };
    } catch (e) {
      continue;
    }
  }
  throw new Error("gave up");
}

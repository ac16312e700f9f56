/*
inputSchema: {type: object, properties: {after: {type: integer}}, required: [after]}
*/
export default async function withRetry(input) {
  let last;
  for (let i = 0; i < 3; i++) {
    try {
      const r = await tools.flaky.get({ ok_after: input.after });
      return { value: r.value, attempts: i + 1 };
    } catch (e) {
      last = e.message;
    }
  }
  throw new Error("gave up: " + last);
}
// input {"after": 0}
// input {"after": 2}
// input {"after": 5}

/*
inputSchema: {type: object, properties: {after: {type: integer}}, required: [after]}
*/
export default async function poll(input) {
  let tries = 0;
  let value = null;
  while (tries < 5 && value === null) {
    tries += 1;
    try {
      const res = await tools.flaky.get({ ok_after: input.after });
      value = res.value;
    } catch (err) {
      if (tries === 5) throw err;
      await sleep(1);
    }
  }
  return { tries, value };
}
// input {"after": 0}
// input {"after": 3}
// input {"after": 9}

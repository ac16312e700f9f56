export default async function retried() {
  let last = null;
  let i = 0;
  do {
    last = await retry(() => tools.s.read({ n: i }), { maxAttempts: 2, initialMs: 5 });
    i += 1;
  } while (i < 3);
  return { i, last };
}

export default async function together() {
  const pairs = [];
  for (let i = 0; i < 2; i++) {
    const [a, b] = await Promise.all([tools.s.read({ n: i }), tools.s.write({ n: i })]);
    pairs.push({ a: a ?? null, b: b ?? null });
  }
  return { pairs };
}

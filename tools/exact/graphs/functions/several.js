export default async function several() {
  const factor = 2;
  const all = await Promise.all([3, 4].map(async n => {
    const a = await tools.s.read({ n });
    const b = await tools.s.write({ n: n * factor });
    return { a, b };
  }));
  return { all };
}

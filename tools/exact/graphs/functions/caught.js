export default async function caught() {
  const out = [];
  for (const n of [1, 2, 3]) {
    try {
      out.push(await tools.s.write({ n }));
    } catch (e) {
      out.push("failed");
    }
  }
  return { out };
}

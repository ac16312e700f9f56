export default async function each() {
  const ids = [1, 2, 3];
  for (const id of ids) await tools.s.write({ n: id });
  return { done: ids.length };
}

export default async function queue() {
  const left = [1, 2];
  let seen = 0;
  while (left.length > 0 && seen < 5) {
    const n = left.shift();
    const r = await tools.s.read({ n });
    seen++;
    if (n === 1) left.push(3);
    if (r === null) left.push(4);
  }
  return { seen, left };
}

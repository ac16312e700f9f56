export default async function tagged({ items }) {
  const found = new Map();
  for (const i of items) found.set(i.id, i);
  return found.size;
}

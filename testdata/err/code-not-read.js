export default async function tagged({ items, tag }) {
  const found = [];
  items.forEach(i => found.push(i));
  return found;
}

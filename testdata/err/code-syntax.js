export default async function total(input) {
  return { total: input.price * };
}

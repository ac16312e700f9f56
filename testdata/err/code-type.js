export default async function label(input) {
  return { label: input.name + input.number };
}

/*
description: Sums the column amount of a CSV file by another column
inputSchema: {type: object, properties: {path: {type: string}, by: {type: string}}, required: [path, by]}
*/
export default async function csv_sum(input) {
  const file = await tools.files.read_file({ path: input.path });
  const lines = file.content.split("\n");
  const header = lines[0].trim().split(",");
  const byCol = header.indexOf(input.by);
  const amountCol = header.indexOf("amount");
  if (byCol === -1) throw new Error(`no column ${input.by}`);
  if (amountCol === -1) throw new Error("no column amount");

  const keys = [];
  const sums = [];
  for (let i = 1; i < lines.length; i++) {
    const line = lines[i].trim();
    if (line === "") continue;
    const cells = line.split(",");
    const key = cells[byCol];
    const amount = Number(cells[amountCol]);
    const at = keys.indexOf(key);
    if (at === -1) {
      keys.push(key);
      sums.push(amount);
    } else {
      sums[at] += amount;
    }
  }

  const out = [];
  for (let i = 0; i < keys.length; i++) {
    out.push({ key: keys[i], sum: sums[i] });
  }
  out.sort((a, b) => {
    if (a.sum !== b.sum) return b.sum - a.sum;
    if (a.key < b.key) return -1;
    if (a.key > b.key) return 1;
    return 0;
  });
  return out;
}

/*
description: Sums the amounts of a CSV file by a column
inputSchema: {type: object, properties: {path: {type: string}, by: {type: string}}, required: [path, by]}
*/
export default async function csv_sum(input) {
  const { path, by } = input;
  const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

  const { content } = await tools.files.read_file({ path });
  const [header, ...lines] = content.split(/\r?\n/).filter((line) => line !== '');
  const names = header.split(',');
  const keyAt = names.indexOf(by);
  const amountAt = names.indexOf('amount');

  const rows = lines.map((line) => {
    const cells = line.split(',');
    return { key: cells[keyAt], amount: Number(cells[amountAt]) };
  });
  const keys = [...new Set(rows.map(({ key }) => key))];
  return keys
    .map((key) => ({
      key,
      sum: rows.filter((row) => row.key === key).reduce((sum, { amount }) => sum + amount, 0),
    }))
    .sort((a, b) => b.sum - a.sum || compare(a.key, b.key));
}

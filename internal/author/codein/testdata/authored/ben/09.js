/*
description: Sums the column amount of a CSV file by another column
inputSchema: {type: object, properties: {path: {type: string}, by: {type: string}}, required: [path, by]}
*/
export default async function csv_sum(input) {
  const { content } = await tools.files.read_file({ path: input.path });

  const [header, ...rows] = content
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line) => line.split(",").map((cell) => cell.trim()));

  const keyIndex = header.indexOf(input.by);
  const amountIndex = header.indexOf("amount");
  if (keyIndex === -1) throw new Error(`no column ${input.by}`);
  if (amountIndex === -1) throw new Error("no column amount");

  const keys = [...new Set(rows.map((row) => row[keyIndex]))];
  return keys
    .map((key) => ({
      key,
      sum: rows
        .filter((row) => row[keyIndex] === key)
        .reduce((sum, row) => sum + Number(row[amountIndex]), 0),
    }))
    .sort((a, b) => b.sum - a.sum || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

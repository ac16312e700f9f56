/*
inputSchema: {type: object, properties: {path: {type: string}, column: {type: string}}, required: [path]}
*/
export default async function csvTotals({ path, column = "region" }) {
  const { content } = await tools.files.read_file({ path });
  const lines = content.trim().split("\n");
  const header = lines[0].split(",");
  const rows = lines.slice(1).map(l => Object.fromEntries(l.split(",").map((v, i) => [header[i], v])));
  const totals = {};
  for (const r of rows) totals[r[column]] = (totals[r[column]] || 0) + Number(r.amount);
  return totals;
}
// input {"path": "src/data.csv"}
// input {"path": "src/data.csv", "column": "amount"}
// input {"path": "gone"}

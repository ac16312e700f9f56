export default async function nested() {
  const cell = async (row, n) => await tools.s.write({ row, n });
  const rows = [];
  for (const row of ["a", "b"]) {
    let width = 0;
    for (let n = 0; n < 2; n++) {
      await cell(row, n);
      width += 1;
    }
    rows.push({ row, width });
  }
  return rows;
}

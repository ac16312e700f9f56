/*
inputSchema: {type: object, properties: {xs: {type: array, items: {type: number}}}, required: [xs]}
*/
export default async function innerBreak(input) {
  let n = 0;
  const found = [];
  for (const a of input.xs) {
    for (const b of input.xs) {
      if (b > a) break;
      n += b;
    }
    n += 100;
  }
  for (const a of input.xs) {
    for (const b of input.xs) {
      if (-2 > 4) {
        break;
      } else {
        n = n + 1;
      }
    }
    switch (a) {
      case 1:
        found.push(n);
        break;
      default:
        for (const b of input.xs) if (b === a) break;
        found.push(-n);
    }
  }
  return { n, found };
}
// input {"xs": []}
// input {"xs": [1]}
// input {"xs": [1, 3, 2]}

export default async function waits() {
  let tries = 0;
  let wrote = 0;
  while (tries < 3) {
    tries++;
    await sleep(tries === 2 ? 3000 : 5);
    if (tries % 2 === 1) {
      await tools.s.write({ tries });
      wrote++;
    }
  }
  return { tries, wrote };
}

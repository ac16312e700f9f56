export default async function asked() {
  const said = [];
  for (const what of ["first", "second"]) {
    const a = await ask({ message: `Write the ${what}?` });
    const yes = a.action === "accept";
    if (yes) said.push(await tools.s.write({ what }));
    else said.push(what);
  }
  return { said };
}

/*
inputSchema: {type: object, properties: {id: {type: string}, note: {type: string}}, required: []}
*/
export default async function validateInput({ id, note }) {
  if (!id || typeof id !== "string") throw new Error("id is required");
  const text = (note || "").trim().slice(0, 10);
  if (!text) return { skipped: true };
  const c = await tools.crm.get_customer({ id });
  await tools.crm.add_note({ id: c.id, text });
  return { skipped: false, to: c.name, text };
}
// input {}
// input {"id": ""}
// input {"id": "c1"}
// input {"id": "c1", "note": "  hello world and more"}
// input {"id": "zz", "note": "x"}

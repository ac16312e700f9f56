/*
description: Cuts a text into parts and adds each as a note
inputSchema: {type: object, properties: {id: {type: string}, text: {type: string}, size: {type: integer}}, required: [id, text, size]}
executionLimits: {maxNodeExecutions: 20000}
*/
export default async function chunk_notes(input) {
  if (input.size < 1) throw new Error("bad size");
  const n = Math.ceil(input.text.length / input.size);
  let total = 0;
  for (let i = 0; i < n; i++) {
    const part = input.text.slice(i * input.size, (i + 1) * input.size);
    const note = await tools.crm.add_note({ id: input.id, text: `${i + 1}/${n}: ${part}` });
    total += note.length;
  }
  return { parts: n, total };
}

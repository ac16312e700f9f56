/*
description: Cuts a text into parts and adds each as a note
inputSchema: {type: object, properties: {id: {type: string}, text: {type: string}, size: {type: integer}}, required: [id, text, size]}
executionLimits: {maxNodeExecutions: 20000}
*/
export default async function chunk_notes(input) {
  const { id, text, size } = input;
  if (size < 1) throw new Error("bad size");

  const parts = [];
  for (let start = 0; start < text.length; start += size) {
    parts.push(text.slice(start, start + size));
  }

  let total = 0;
  for (let i = 0; i < parts.length; i++) {
    const note = await tools.crm.add_note({ id, text: `${i + 1}/${parts.length}: ${parts[i]}` });
    total += note.length;
  }

  return { parts: parts.length, total };
}

/*
description: Adds a text to a customer as notes of limited size
inputSchema: {type: object, properties: {id: {type: string}, text: {type: string}, size: {type: integer}}, required: [id, text, size]}
executionLimits: {maxNodeExecutions: 20000}
*/
export default async function chunk_notes(input) {
  const { id, text, size } = input;
  if (size < 1) throw new Error('bad size');

  const parts = [];
  for (let at = 0; at < text.length; at += size) {
    parts.push(text.slice(at, at + size));
  }

  let i = 0;
  let total = 0;
  for (const part of parts) {
    i++;
    const { length } = await tools.crm.add_note({ id, text: `${i}/${parts.length}: ${part}` });
    total += length;
  }
  return { parts: parts.length, total };
}

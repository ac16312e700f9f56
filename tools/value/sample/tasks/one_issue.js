/*
name: one_issue
description: Returns the title and the state of an issue
inputSchema: {type: object, properties: {number: {type: integer}}, required: [number]}
outputSchema: {type: object, properties: {title: {type: string}, state: {type: string}}, required: [title, state]}
*/
export default async function one_issue({ number }) {
  const { title, state } = await tools.tracker.get_issue({ number });
  return { title, state };
}

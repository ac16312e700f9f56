/*
description: Returns the title and the state of an issue
*/
export default async function one_issue({ number }) {
  const { title, state } = await tools.tracker.get_issue({ number });
  return { title, state };
}

/*
description: Creates a task on the board for every open issue
*/
export default async function tasks_of_issues() {
  let created = 0;
  for (let page = 1; ; page++) {
    const { issues } = await tools.tracker.list_issues({ page });
    if (issues.length === 0) break;
    for (const issue of issues) {
      if (issue.state !== "open") continue;
      await tools.tracker.create_task({ title: `${issue.title} #${issue.number}` });
      created++;
    }
  }
  return { created };
}

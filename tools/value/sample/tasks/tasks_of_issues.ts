import { tracker } from "./tools";

let created = 0;
for (let page = 1; ; page++) {
  const { issues } = await tracker.listIssues({ page });
  if (issues.length === 0) break;
  for (const issue of issues) {
    if (issue.state !== "open") continue;
    await tracker.createTask({ title: `${issue.title} #${issue.number}` });
    created++;
  }
}
console.log(JSON.stringify({ created }));

import { tracker } from "./tools";

const labels: Record<string, number> = {};
for (let page = 1; ; page++) {
  const { issues } = await tracker.listIssues({ page });
  if (issues.length === 0) break;
  for (const issue of issues) {
    if (issue.state !== "open") continue;
    for (const label of issue.labels) labels[label] = (labels[label] ?? 0) + 1;
  }
}
console.log(JSON.stringify({ labels }));

/*
description: Counts the open issues of the project by label
*/
export default async function issues_by_label() {
  const labels = {};
  for (let page = 1; ; page++) {
    const { issues } = await tools.tracker.list_issues({ page });
    if (issues.length === 0) break;
    for (const issue of issues.filter(i => i.state === "open")) {
      for (const label of issue.labels) labels[label] = (labels[label] ?? 0) + 1;
    }
  }
  return { labels };
}

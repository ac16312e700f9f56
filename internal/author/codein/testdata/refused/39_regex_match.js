/*
inputSchema: {type: object, properties: {}, required: []}
*/
export default async function regexMatch(input) {
  const { content } = await tools.files.read_file({ path: "src/a.go" });
  const m = content.match(/package (\w+)/);
  const all = content.match(/TODO \w+/g) || [];
  return { pkg: m ? m[1] : null, todos: all };
}
// input {}

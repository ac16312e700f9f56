/*
description: Returns the lines of the notes that begin with TODO, with the name of each file
*/
export default async function find_todos() {
  const { names } = await tools.files.list_files({});
  const texts = await Promise.all(names.map(name => tools.files.read_file({ name })));
  const counts = texts.map(t => t.text.split("\n").filter(line => line.startsWith("TODO")).length);
  return { files: counts.filter(n => n > 0).length, todos: counts.reduce((a, b) => a + b, 0) };
}

import { files } from "./tools";

const { names } = await files.listFiles({});
let withTodos = 0;
let todos = 0;
for (const name of names) {
  const { text } = await files.readFile({ name });
  const n = text.split("\n").filter((line) => line.startsWith("TODO")).length;
  if (n > 0) withTodos++;
  todos += n;
}
console.log(JSON.stringify({ files: withTodos, todos }));

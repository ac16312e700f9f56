import { files } from "./tools";

const { names } = await files.listFiles({});
const infos = await Promise.all(names.map((name) => files.fileInfo({ name })));
infos.sort((a, b) => b.size - a.size);
console.log(JSON.stringify({ files: infos.slice(0, 10) }));

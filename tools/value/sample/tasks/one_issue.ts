import { tracker } from "./tools";

const { title, state } = await tracker.getIssue({ number: Number(process.argv[2]) });
console.log(JSON.stringify({ title, state }));

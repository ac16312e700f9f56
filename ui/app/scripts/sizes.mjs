// Prints the size of each built file, and fails if they are too large compressed. The bar is
// for the first load; all files count, although the views and the editor are loaded later.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const most = 350 * 1024;
const dist = new URL("../../dist/", import.meta.url).pathname;
const kB = (n) => (n / 1024).toFixed(1).padStart(7) + " kB";

let raw = 0;
let packed = 0;
const line = (name, a, b) => console.log(`${kB(a)} ${kB(b)} gzipped  ${name}`);
for (const name of readdirSync(dist, { recursive: true }).sort()) {
  let bytes;
  try {
    bytes = readFileSync(join(dist, name));
  } catch {
    continue; // a folder
  }
  const small = gzipSync(bytes, { level: 9 }).length;
  line(name, bytes.length, small);
  raw += bytes.length;
  packed += small;
}
line("in all", raw, packed);
if (packed > most) {
  console.error(`more than ${kB(most).trim()} gzipped`);
  process.exit(1);
}

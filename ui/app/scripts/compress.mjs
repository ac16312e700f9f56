// Compresses each built file into one next to it, which the program embeds, prints the sizes,
// and fails if they are too large. The bar is for the first load; all files count, although
// the views and the editor are loaded later.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const most = 350 * 1024;
const dist = new URL("../../dist/", import.meta.url).pathname;
const kB = (n) => (n / 1024).toFixed(1).padStart(7) + " kB";

let raw = 0;
let packed = 0;
const line = (name, a, b) => console.log(`${kB(a)} ${kB(b)} gzipped  ${name}`);
for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || entry.name.endsWith(".gz")) continue;
  const path = join(entry.parentPath, entry.name);
  const bytes = readFileSync(path);
  const small = gzipSync(bytes, { level: 9 });
  writeFileSync(path + ".gz", small);
  line(path.slice(dist.length), bytes.length, small.length);
  raw += bytes.length;
  packed += small.length;
}
line("in all", raw, packed);
if (packed > most) {
  console.error(`more than ${kB(most).trim()} gzipped`);
  process.exit(1);
}

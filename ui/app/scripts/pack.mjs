// Compresses the page for clients of MCP, which is how the program contains it. A file that
// has the same page already stays as it is: versions of Node compress differently.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";

const page = new URL("../../dist-app/graph.html", import.meta.url).pathname;
const packed = page + ".gz";
const html = readFileSync(page);
if (!existsSync(packed) || !gunzipSync(readFileSync(packed)).equals(html)) writeFileSync(packed, gzipSync(html, { level: 9 }));
console.log(`graph.html has ${html.length} bytes, ${readFileSync(packed).length} gzipped`);

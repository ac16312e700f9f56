import { fileURLToPath } from "node:url";

import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type Plugin } from "vite";

/** The largest page, in bytes: what docs/ui.md says. */
const most = 400_000;

// Puts the script and the styles into the page: a client of MCP gets one file.
const oneFile: Plugin = {
  name: "one-file",
  enforce: "post",
  generateBundle(_, bundle) {
    const page = bundle["graph.html"];
    if (page?.type !== "asset") throw new Error("graph.html was not built");
    let html = String(page.source);
    for (const [name, file] of Object.entries(bundle)) {
      if (file === page) continue;
      const [tag, inline] =
        file.type === "chunk"
          ? [new RegExp(`<script[^>]*src="[^"]*${file.fileName}"[^>]*></script>`), `<script type="module">${file.code.trim().replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--")}</script>`]
          : [new RegExp(`<link[^>]*href="[^"]*${file.fileName}"[^>]*>`), `<style>${String(file.source).trim()}</style>`];
      if (!tag.test(html)) throw new Error(`${name} is not in the page`);
      html = html.replace(tag, () => inline);
      delete bundle[name];
    }
    if (Buffer.byteLength(html) > most) throw new Error(`graph.html has ${Buffer.byteLength(html)} bytes, more than ${most}`);
    page.source = html;
  },
};

const own = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

// The page that clients of MCP show for graphs and runs (MCP Apps).
export default defineConfig({
  base: "./",
  publicDir: false,
  resolve: {
    alias: [
      { find: "@xyflow/svelte", replacement: own("src/app/flow/index.ts") },
      { find: /^.*\/api\/operations$/, replacement: own("src/app/operations.ts") },
    ],
  },
  plugins: [svelte(), oneFile],
  build: {
    outDir: "../dist-app",
    emptyOutDir: false,
    target: "es2023",
    cssCodeSplit: false,
    modulePreload: false,
    reportCompressedSize: false,
    rollupOptions: { input: "graph.html", output: { codeSplitting: false } },
    sourcemap: false,
  },
});

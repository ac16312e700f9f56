import { svelte } from "@sveltejs/vite-plugin-svelte";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

// Svelte wraps a component that is given custom properties in an element with an inline
// style, which the policy of the page blocks; base.css says the same.
const noInlineStyle = {
  name: "no-inline-style",
  renderChunk: (code: string) => code.replaceAll('<svelte-css-wrapper style="display: contents">', "<svelte-css-wrapper>"),
};

// The page opens with the editor most often: what that needs is asked for with the page itself,
// and not only when the first module runs.
const preloadEditor: Plugin = {
  name: "preload-editor",
  transformIndexHtml: {
    order: "post",
    handler(_, { bundle }) {
      const chunks = Object.values(bundle ?? {}).filter((c) => c.type === "chunk");
      const names = new Set<string>();
      const add = (file: string): void => {
        if (names.has(file)) return;
        names.add(file);
        chunks.find((c) => c.fileName === file)?.imports.forEach(add);
      };
      for (const c of chunks) if (c.isDynamicEntry && ["Editor", "Canvas"].includes(c.name)) add(c.fileName);
      for (const c of chunks) if (c.isEntry) names.delete(c.fileName);
      return [...names].map((file) => ({ tag: "link", attrs: { rel: "modulepreload", crossorigin: true, href: `./${file}` }, injectTo: "head" }));
    },
  },
};

// The page is served at /ui/ by a program that allows it no inline script or style and no
// other origin, so that everything is a file next to the page.
export default defineConfig({
  base: "./",
  plugins: [svelte(), noInlineStyle, preloadEditor],
  build: {
    outDir: "../dist",
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
    sourcemap: false,
  },
  server: {
    proxy: { "/ui/api": process.env.PATCHBAY_UI ?? "http://127.0.0.1:7878" },
  },
  test: { include: ["src/**/*.test.ts"], environment: "node" },
});

import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

// Svelte wraps a component that is given custom properties in an element with an inline
// style, which the policy of the page blocks; base.css says the same.
const noInlineStyle = {
  name: "no-inline-style",
  renderChunk: (code: string) => code.replaceAll('<svelte-css-wrapper style="display: contents">', "<svelte-css-wrapper>"),
};

// The page is served at /ui/ by a program that allows it no inline script or style and no
// other origin, so that everything is a file next to the page.
export default defineConfig({
  base: "./",
  plugins: [svelte(), noInlineStyle],
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
  test: { include: ["src/**/*.test.ts"], environment: "node", testTimeout: 120_000 },
});

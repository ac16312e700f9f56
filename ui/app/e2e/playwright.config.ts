import { defineConfig } from "@playwright/test";

// The times are long because a test waits for what happens and not for a while: a machine
// that is busy is slow, not wrong.
export default defineConfig({
  testDir: ".",
  outputDir: "../node_modules/.e2e",
  timeout: 600_000,
  expect: { timeout: 120_000 },
  workers: 2, // each waits for the program and the browser half of the time
  projects: [
    { name: "page", testIgnore: /speed\.spec/ },
    { name: "speed", testMatch: /speed\.spec/, dependencies: ["page"] }, // alone: it measures time
  ],
  forbidOnly: true,
  retries: 1, // the list says which test needed it
  maxFailures: process.env.CI ? 3 : 0,
  reporter: [["list"]],
  use: {
    viewport: { width: 1280, height: 800 },
    reducedMotion: "reduce",
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
    },
  },
});

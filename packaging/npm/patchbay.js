#!/usr/bin/env node
// Starts the program for this system, which npm has installed as an optional dependency,
// with the same arguments, input, output and exit code.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const platform = `${process.platform}-${process.arch}`;

function program() {
  const file = process.platform === "win32" ? "patchbay.exe" : "patchbay";
  try {
    return require.resolve(`@patchbay-mcp/${platform}/bin/${file}`);
  } catch {
    console.error(`patchbay: the package @patchbay-mcp/${platform} is not installed.`);
    console.error("  hint: install without --omit=optional; other ways to install: https://github.com/patchbay-mcp/patchbay/blob/main/docs/install.md");
    process.exit(2);
  }
}

const child = spawn(program(), process.argv.slice(2), { stdio: "inherit" });

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    // A terminal sends SIGINT to the child itself, and the second one would end it at once.
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  });
}
child.on("error", (err) => {
  console.error(`patchbay: ${err.message}`);
  process.exit(2);
});
child.on("exit", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));

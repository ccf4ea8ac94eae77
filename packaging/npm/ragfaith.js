#!/usr/bin/env node
// Runs the ragfaith binary of the package for this platform.
"use strict";

const { spawn } = require("node:child_process");
const { isatty } = require("node:tty");

const name = `@ragfaith/${process.platform}-${process.arch}`;
let binary;
try {
  binary = require.resolve(`${name}/bin/ragfaith${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  console.error(
    `ragfaith: the package ${name} is not installed. Install ragfaith again without --omit=optional` +
      " or --no-optional; if there is no such package, ragfaith has no binary for this platform.",
  );
  process.exit(1);
}

const child = spawn(binary, process.argv.slice(2), { stdio: "inherit" });

// A terminal sends Ctrl-C to both processes, and ragfaith exits at once on a second one.
// process.stdin is not used, since it would make a pipe non-blocking for ragfaith too.
const onTerminal = [0, 1, 2].some(isatty);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    if (signal !== "SIGINT" || !onTerminal) child.kill(signal);
  });
}

child.on("error", (error) => {
  console.error(`ragfaith: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else {
    process.exit(code);
  }
});

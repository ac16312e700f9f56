// The program under test: patchbay ui over a project in a folder of its own.
import { expect, type Page } from "@playwright/test";
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";

const root = resolve(import.meta.dirname, "../../..");
const binary = process.env.PATCHBAY ?? join(root, "patchbay");
const filesystem = join(root, "testdata/npm/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");

/** Waits until the page has signed in and the servers of the project have started: a graph is
 * refused that needs one which takes long, and what was shown before changes then. */
export async function serversReady(page: Page): Promise<void> {
  await expect(page.getByRole("navigation", { name: "Views" })).toBeVisible(); // signed in: what is asked before is refused, and the browser complains
  const starting = (): Promise<string[]> =>
    page.evaluate(async () => {
      const reply = await fetch("api/op/mcp-list", { method: "POST", headers: { "X-Patchbay-UI": localStorage.getItem("patchbay-ui-key")! }, body: "{}" });
      const { result } = (await reply.json()) as { result: { servers: { name: string; state: string }[] } };
      return result.servers.filter((s) => s.state === "starting" || s.state === "cached").map((s) => s.name);
    });
  await expect.poll(starting).toEqual([]);
}

export class Program {
  readonly dir = mkdtempSync(join(tmpdir(), "patchbay-ui-"));
  private child: ChildProcess | undefined;
  private readonly env: NodeJS.ProcessEnv;

  constructor(files: Record<string, string>) {
    const home = join(this.dir, "home");
    mkdirSync(home);
    this.env = { ...process.env, HOME: home, XDG_CONFIG_HOME: "", XDG_STATE_HOME: "", XDG_DATA_HOME: "", XDG_CACHE_HOME: "", PATCHBAY_TRUST: "all" };
    mkdirSync(join(this.dir, "data"));
    writeFileSync(join(this.dir, "data", "notes.txt"), "buy milk\ncall ada");
    const server = JSON.stringify({ command: process.execPath, args: [filesystem, join(this.dir, "data")] });
    writeFileSync(join(this.dir, "patchbay.yaml"), `mcpServers: {"filesystem": ${server}}\n`);
    for (const [name, text] of Object.entries(files)) this.write(name, text);
  }

  /** Writes a file of the project. */
  write(name: string, text: string): void {
    mkdirSync(dirname(join(this.dir, name)), { recursive: true });
    writeFileSync(join(this.dir, name), text);
  }

  /** Starts a command that goes on. */
  start(...args: string[]): ChildProcess {
    return spawn(binary, args, { cwd: this.dir, env: this.env, stdio: ["ignore", "pipe", "pipe"] });
  }

  /** Starts the page in place of one before, and returns the link that signs in. */
  async open(file: string): Promise<string> {
    await this.stop();
    const child = (this.child = this.start("ui", file, "--no-open"));
    let log = "";
    child.stderr!.on("data", (b) => (log += String(b)));
    return new Promise((found, failed) => {
      createInterface(child.stdout!).on("line", (line) => {
        const link = /http:\/\/\S+token=\S+/.exec(line)?.[0];
        if (link) found(link);
      });
      child.on("exit", (code) => failed(new Error(`patchbay ui ended with ${code}: ${log}`)));
      child.on("error", failed);
    });
  }

  /** Runs a command of the program, whatever it exits with. */
  command(...args: string[]): string {
    return spawnSync(binary, args, { cwd: this.dir, env: this.env, encoding: "utf8" }).stdout;
  }

  /** A file of the data folder that is read only when it is given its text. */
  pipe(name: string): { path: string; give(text: string): Promise<void> } {
    const path = join(this.dir, "data", name);
    spawnSync("mkfifo", [path]);
    return { path, give: (text) => writeFile(path, text) };
  }

  private async stop(): Promise<void> {
    const child = this.child;
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((done) => child.once("exit", done));
    child.kill();
    await ended;
  }

  async close(): Promise<void> {
    await this.stop();
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

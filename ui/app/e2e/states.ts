// Twelve states of the page that docs/ui.md shows, and that are tested at two sizes.
import { expect, type Page } from "@playwright/test";
import { join } from "node:path";

import { asks, loops, readNotes } from "./graphs";
import { TestHost } from "./host";
import { Program, serversReady } from "./program";
import { sixty } from "./sixty";

const three = `# Says hello to a name.
name: greet
description: Says hello to a name
inputSchema: {type: object, properties: {name: {type: string, description: Who is greeted}}, required: [name]}
outputSchema: {type: object, properties: {text: {type: string}}, required: [text]}
nodes:
  - {id: entry, type: entry, next: hello}
  - {id: hello, type: transform, transform: {expr: '{"text": "Hello, " & $.entry.name & "!"}'}, next: exit}
  - {id: exit, type: exit}
`;

const wrong = readNotes.replace("read_text_file", "read_text_fil").replace("$.entry.path}}", "$.entri.path}}");

export const files = { "greet.yaml": three, "wrong.yaml": wrong, "notes.yaml": readNotes, "pay.yaml": asks, "many.yaml": loops, "stations.yaml": sixty };

/** What a state is shown with. */
export interface Stage {
  page: Page;
  program: Program;
  /** Signs in to the page of a file, once for each. */
  open(file: keyof typeof files, place?: string): Promise<void>;
  host(): Promise<TestHost>;
  /** A file that the servers can read. */
  notes: string;
}

export interface State {
  name: string;
  title: string;
  theme: "light" | "dark";
  show(s: Stage): Promise<void>;
}

const node = (page: Page, id: string) => page.locator(`.svelte-flow__node[data-id="${id}"]`);

/** Shows a part of the editor where there is room for one only. */
async function part(page: Page, name: string): Promise<void> {
  const tab = page.getByRole("tablist", { name: "Parts of the editor" }).getByRole("tab", { name });
  if ((page.viewportSize()?.width ?? 0) <= 900) await tab.click();
}

async function runForm(page: Page, label: string, value: string): Promise<void> {
  await page.getByRole("button", { name: "Run", exact: true }).first().click();
  await page.getByLabel(label).fill(value);
  await page.getByLabel(label).press("Enter");
}

export const states: State[] = [
  {
    name: "editor",
    title: "A graph of three nodes as a drawing and as text",
    theme: "light",
    async show({ page, open }) {
      await open("greet.yaml");
      await expect(node(page, "hello")).toBeVisible();
      await expect(page.getByText("valid", { exact: true })).toBeVisible();
    },
  },
  {
    name: "sixty",
    title: "A graph of sixty nodes",
    theme: "dark",
    async show({ page, open }) {
      await open("stations.yaml");
      await expect(node(page, "few")).toBeVisible();
      await expect(page.getByText("valid", { exact: true })).toBeVisible();
    },
  },
  {
    name: "problems",
    title: "Problems, on the nodes and in a list, with their fixes",
    theme: "light",
    async show({ page, open }) {
      await open("wrong.yaml");
      await page.getByRole("button", { name: /error/ }).first().click();
      await expect(page.getByRole("list", { name: "Problems" })).toContainText("read_text_file");
    },
  },
  {
    name: "node",
    title: "The fields of a node",
    theme: "dark",
    async show({ page, open }) {
      await open("notes.yaml");
      await expect(page.getByText("valid", { exact: true })).toBeVisible();
      await node(page, "read").click();
      await part(page, "Node");
      await expect(page.getByRole("textbox", { name: "Name of the node" })).toHaveValue("read");
    },
  },
  {
    name: "run",
    title: "A loop of fifty calls that has ended",
    theme: "light",
    async show({ page, open, notes }) {
      await open("many.yaml");
      await runForm(page, "path", notes);
      await expect(page.getByRole("region", { name: "Result" })).toContainText("50");
    },
  },
  {
    name: "question",
    title: "A run that asks",
    theme: "dark",
    async show({ page, open }) {
      await open("pay.yaml");
      await runForm(page, "amount", "12");
      await expect(page.getByText("Pay 12?")).toBeVisible();
    },
  },
  {
    name: "catalog",
    title: "Nodes that a search finds, and the parameters of one",
    theme: "light",
    async show({ page, open }) {
      await open("greet.yaml", "#/catalog/mcp%3Afilesystem%2Fedit_file");
      await expect(page.getByRole("heading", { name: "Parameters" })).toBeVisible();
    },
  },
  {
    name: "tool",
    title: "A tool that is run with a form",
    theme: "dark",
    async show({ page, open, notes }) {
      await open("greet.yaml", "#/catalog/mcp%3Afilesystem%2Fread_text_file");
      await page.getByRole("button", { name: "Run this tool" }).click();
      await page.getByLabel("path").fill(notes);
      await page.getByLabel("path").press("Enter");
      await expect(page.getByRole("region", { name: "Output" })).toContainText("buy milk");
    },
  },
  {
    name: "timeline",
    title: "The timeline of a run, and what one step was given and gave",
    theme: "light",
    async show({ page, open, program, notes }) {
      program.command("run", "many.yaml", `path=${notes}`, "n=12");
      await open("greet.yaml", "#/runs");
      await page.getByRole("link", { name: "many" }).first().click();
      await page.getByRole("listbox", { name: /Steps/ }).getByRole("option").nth(2).click();
      await expect(page.getByRole("region", { name: "Output" })).toContainText("buy milk");
    },
  },
  {
    name: "failed",
    title: "A run that failed, and the ways to resume it",
    theme: "dark",
    async show({ page, open, program }) {
      program.command("run", "notes.yaml", "path=missing");
      await open("greet.yaml", "#/runs");
      await page.getByRole("link", { name: "count_lines" }).first().click();
      await expect(page.getByRole("button", { name: "Skip it" })).toBeVisible();
    },
  },
  {
    name: "servers",
    title: "A server and its tools",
    theme: "light",
    async show({ page, open }) {
      await open("greet.yaml", "#/servers/filesystem");
      await expect(page.getByRole("link", { name: "read_text_file" }).first()).toBeVisible();
    },
  },
  {
    name: "client",
    title: "In a client of MCP: a graph that does not check, with its fixes",
    theme: "light",
    async show({ page, host }) {
      const app = await (await host()).show(page, "validate_graph", { graph: wrong });
      await expect(app.getByRole("button", { name: "Apply all fixes" })).toBeVisible();
    },
  },
];

/** Programs that are started when they are needed. */
export class Stages {
  readonly program = new Program(files);
  readonly notes = join(this.program.dir, "data", "notes.txt");
  private started: TestHost | undefined;

  on(page: Page): Stage {
    return {
      page,
      program: this.program,
      notes: this.notes,
      open: async (file, place = "") => {
        const link = await this.program.open(file);
        await page.goto(link);
        await expect(page.getByRole("heading", { level: 1 })).toHaveText(file);
        await serversReady(page);
        if (!place) return;
        const at = (fragment: string): string => new URL(fragment, link).href.replace(/\?token=[^#]*/, "");
        await page.goto(at("#/catalog"));
        await expect(page.getByRole("link", { name: "read_text_file" }).first()).toBeVisible();
        await page.goto(at(place));
      },
      host: async () => {
        if (!this.started) {
          this.started = new TestHost(this.program);
          await this.started.serve();
        }
        return this.started;
      },
    };
  }

  async close(): Promise<void> {
    await this.started?.close();
    await this.program.close();
  }
}

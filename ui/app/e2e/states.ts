// The states of the page that docs/reference/ui-pictures.md shows, and that are tested at three sizes in
// both themes.
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

const rounds = `name: rounds
description: Adds one and doubles until the number is large
inputSchema: {type: object, properties: {n: {type: number}}, required: [n]}
outputSchema: {type: object}
nodes:
  - {id: entry, type: entry, next: add}
  - {id: add, type: transform, transform: {expr: '{"n": ($exists($.double.n) ? $.double.n : $.entry.n) + 1}'}, next: double}
  - {id: double, type: transform, transform: {expr: '{"n": $.add.n * 2}'}, next: more}
  - {id: more, type: switch, conditions: [{rule: {"<": [{var: $.double.n}, 100000]}, next: add}], next: exit}
  - {id: exit, type: exit, result: {n: {expr: $.double.n}}}
`;

const kinds = `name: kinds
description: Sends an order to who decides about it
inputSchema: {type: object, properties: {total: {type: number}, country: {type: string}}, required: [total, country]}
outputSchema: {type: object}
nodes:
  - {id: entry, type: entry, next: who}
  - id: who
    type: switch
    conditions:
      - {rule: {">=": [{var: $.entry.total}, 10000]}, next: key_accounts}
      - {rule: {in: [{var: $.entry.country}, [US, CA]]}, next: overseas}
      - {rule: {"==": [{var: $.entry.total}, 0]}, next: free}
    next: shop
  - {id: key_accounts, type: transform, transform: {expr: '"key accounts"'}, next: exit}
  - {id: overseas, type: transform, transform: {expr: '"overseas"'}, next: exit}
  - {id: free, type: transform, transform: {expr: '"free"'}, next: exit}
  - {id: shop, type: transform, transform: {expr: '"shop"'}, next: exit}
  - {id: exit, type: exit, result: {to: {expr: $previousNode()}}}
`;

export const files = { "greet.yaml": three, "wrong.yaml": wrong, "notes.yaml": readNotes, "pay.yaml": asks, "many.yaml": loops, "stations.yaml": sixty, "rounds.yaml": rounds, "kinds.yaml": kinds };

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
    name: "home",
    title: "What waits, and the saved graphs",
    theme: "light",
    async show({ page, open, program, notes }) {
      for (const file of ["notes", "pay", "kinds", "rounds"]) program.command("graphs", "save", `${file}.yaml`);
      program.command("run", "count_lines", `path=${notes}`);
      program.command("run", "rounds", "n=1");
      if (!program.command("runs", "list", "--status", "interrupted").includes("approve")) program.command("run", "approve", "amount=12");
      await open("greet.yaml", "#/home");
      await expect(page.getByRole("button", { name: "Accept" })).toBeVisible();
      const card = page.getByRole("article", { name: "rounds" });
      await card.scrollIntoViewIfNeeded(); // what is not in sight is not drawn
      await expect(card.locator("rect")).toHaveCount(5);
      await page.getByRole("heading", { level: 1 }).scrollIntoViewIfNeeded();
    },
  },
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
    name: "rules",
    title: "The conditions of a switch as rows",
    theme: "light",
    async show({ page, open }) {
      await open("kinds.yaml");
      await expect(page.getByText("valid", { exact: true })).toBeVisible();
      await node(page, "who").click();
      await part(page, "Node");
      await expect(page.getByRole("group", { name: "Condition 3" })).toBeAttached();
    },
  },
  {
    name: "data",
    title: "What a node can read after a run",
    theme: "light",
    async show({ page, open, notes }) {
      await open("notes.yaml");
      await runForm(page, "path", notes);
      await expect(page.getByRole("region", { name: "Result" })).toContainText("2");
      await part(page, "Graph");
      await node(page, "count").click();
      await part(page, "Node");
      await page.getByRole("button", { name: "Input", exact: true }).click();
      const input = page.getByRole("region", { name: "What it can read" });
      await input.getByRole("button", { name: /^read/ }).click();
      await expect(input).toContainText("buy milk");
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
    name: "rounds",
    title: "The rounds of a loop in the timeline",
    theme: "dark",
    async show({ page, open, program }) {
      program.command("run", "rounds.yaml", "n=1");
      await open("greet.yaml", "#/runs");
      await page.getByRole("link", { name: "rounds" }).first().click();
      await expect(page.getByRole("listbox", { name: /Steps/ })).toContainText("add → double → more ×16");
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
    name: "log",
    title: "What a server has written",
    theme: "dark",
    async show({ page, open }) {
      await open("greet.yaml", "#/servers/filesystem");
      await page.getByText("What it has written to stderr").click();
      await expect(page.locator("details pre")).toContainText("started");
      await page.getByText("What it has written to stderr").scrollIntoViewIfNeeded();
    },
  },
  {
    name: "add",
    title: "A server is added: what it starts is shown first",
    theme: "light",
    async show({ page, open }) {
      await open("greet.yaml", "#/servers");
      await page.getByRole("link", { name: "Add a server" }).click();
      await page.getByLabel("Command, URL or JSON").fill("npx -y @modelcontextprotocol/server-memory");
      await page.getByRole("button", { name: "Show what it starts" }).click();
      await expect(page.getByRole("region", { name: "What it starts" })).toContainText("server-memory");
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

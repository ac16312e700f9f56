// What the views show when there is nothing yet, while they load, when a request fails, when
// the program does not answer, and when the session has ended.
import { expect, test, type Locator, type Page, type Route } from "@playwright/test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { accessible, fits } from "./checks";
import { counts, readNotes, waits } from "./graphs";
import { Program, serversReady } from "./program";
import { Wire } from "./wire";

let program: Program;
let wire: Wire | undefined;
test.afterEach(async () => {
  await wire?.cut();
  wire = undefined;
  await program.close();
});

const node = (page: Page, id: string) => page.locator(`.svelte-flow__node[data-id="${id}"]`);

interface View {
  name: string;
  /** What is opened before it: the page begins with what the editor needs. */
  after?: string;
  place: string;
  /** The request without which it has nothing to show. */
  request: string;
  loading: string;
  content: (page: Page) => Locator;
}

const views = (run: string): View[] => [
  { name: "editor", after: "#/servers/filesystem", place: "#/editor", request: "file", loading: "Reading the graph", content: (page) => node(page, "double") },
  { name: "catalog", place: "#/catalog", request: "op/get_node_types", loading: "Searching", content: (page) => page.getByRole("list", { name: "Nodes" }).getByRole("link").first() },
  { name: "node", place: "#/catalog/transform", request: "op/get_node_details", loading: "Loading the node", content: (page) => page.getByRole("heading", { name: "Parameters" }) },
  { name: "runs", place: "#/runs", request: "op/runs-list", loading: "Loading the runs", content: (page) => page.getByRole("link", { name: "counts" }) },
  { name: "run", place: `#/runs/${run}`, request: "op/get_run", loading: "Loading the run", content: (page) => page.getByRole("listbox", { name: /Steps/ }) },
  { name: "step", place: `#/runs/${run}?step=2`, request: "op/get_run", loading: "Loading the run", content: (page) => page.getByRole("region", { name: "Output" }) },
  { name: "servers", place: "#/servers", request: "op/mcp-list", loading: "Loading the servers", content: (page) => page.getByRole("link", { name: "filesystem" }) },
  { name: "server", place: "#/servers/filesystem", request: "op/mcp-info", loading: "Loading the server", content: (page) => page.getByRole("heading", { name: "filesystem" }) },
  { name: "searches", place: "#/servers?show=searches", request: "op/mcp-list", loading: "Loading the servers", content: (page) => page.getByRole("heading", { name: "Searches without a result" }) },
];

test("every view says that it loads, what failed, and tries again", async ({ page }) => {
  program = new Program({ "counts.yaml": counts });
  const run = (JSON.parse(program.command("run", "counts.yaml", "amount=4", "-o", "json")) as { run_id: string }).run_id;
  const link = await program.open("counts.yaml");
  await page.goto(link);
  await expect(node(page, "double")).toBeVisible();
  const address = new URL(link).origin + new URL(link).pathname;
  for (const view of views(run)) {
    await test.step(view.name, async () => {
      let held: Route[] | undefined = [];
      const fail = (route: Route): Promise<void> => route.fulfill({ status: 503, contentType: "application/json", body: '{"error": {"code": "busy", "message": "the program is busy", "hint": "try again in a minute"}}' });
      const url = `**/ui/api/${view.request}`;
      await page.route(url, (route) => (held ? void held.push(route) : fail(route)));
      await page.goto("about:blank");
      if (view.after) {
        await page.goto(address + view.after);
        await expect(page.getByRole("heading", { name: "filesystem" })).toBeVisible();
      }
      await page.goto(address + view.place);
      await expect(page.getByRole("status").filter({ hasText: view.loading }).first()).toBeVisible();
      await fits(page);
      const all = held;
      held = undefined;
      for (const route of all) await fail(route).catch(() => undefined); // some are asked no more
      const failed = page.getByRole("alert").filter({ hasText: "the program is busy" });
      await expect(failed.first()).toContainText("try again in a minute");
      await fits(page);
      await accessible(page);
      await page.unroute(url);
      await failed.first().getByRole("button", { name: "Try again" }).press("Enter");
      await expect(view.content(page)).toBeVisible();
      await expect(failed).toHaveCount(0);
    });
  }
});

test("a list that cannot be loaded again stays, and says so", async ({ page }) => {
  program = new Program({ "counts.yaml": counts });
  program.command("run", "counts.yaml", "amount=4");
  await page.goto(await program.open("counts.yaml"));
  await page.getByRole("link", { name: "Runs" }).click();
  await expect(page.getByRole("link", { name: "counts" })).toBeVisible();
  await page.route("**/ui/api/op/runs-list", (route) => route.fulfill({ status: 503, contentType: "application/json", body: '{"error": {"code": "busy", "message": "the program is busy"}}' }));
  await page.getByLabel("Status").selectOption("succeeded");
  await expect(page.getByRole("alert")).toContainText("What you see is what was last known.");
  await expect(page.getByRole("link", { name: "counts" })).toBeVisible();
  await accessible(page);
  await page.unroute("**/ui/api/op/runs-list");
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("where there is nothing yet, every view says what comes there", async ({ page }) => {
  program = new Program({ "patchbay.yaml": "workspace: {enabled: false}\n", "new.yaml": "" });
  const link = await program.open("new.yaml");
  await page.goto(link);
  const address = new URL(link).origin + new URL(link).pathname;
  const shown: [string, string][] = [
    ["#/editor", "There is no graph yet"],
    ["#/editor?side=problems", "No problems"],
    ["#/runs", "No runs"],
    ["#/servers", "No servers"],
    ["#/servers?show=searches", "Every search found something"],
    ["#/catalog?q=zzqx", "Nothing found"],
  ];
  for (const [place, text] of shown) {
    await page.goto(address + place);
    await expect(page.getByText(text, { exact: true }).first()).toBeVisible();
    await fits(page);
    await accessible(page);
  }
});

test("without the program the page keeps what was changed, and continues by itself", async ({ page }) => {
  program = new Program({ "counts.yaml": counts, "waits.yaml": waits });
  wire = new Wire();
  await page.goto(await wire.lead(await program.open("counts.yaml")));
  await expect(page.getByText("valid", { exact: true })).toBeVisible();
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  const text = page.getByRole("textbox", { name: "Text of the graph" });
  await expect(text).toBeVisible(); // the editor has been loaded

  await wire.cut();
  const banner = page.getByRole("alert").filter({ hasText: "Patchbay does not answer" });
  await expect(banner).toBeVisible();
  await text.click();
  await text.press("ControlOrMeta+Home");
  await page.keyboard.type("# mine\n");
  await expect(page.getByText("not checked")).toBeVisible();
  await accessible(page);
  await fits(page);
  await Promise.all([page.locator(".toast.bad").waitFor(), page.getByRole("button", { name: "Save" }).click()]); // it is shown for some seconds

  await wire.join();
  await expect(banner).toHaveCount(0);
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  await expect(page.getByText("valid", { exact: true })).toBeVisible();
  await expect(page.locator(".cm-content")).toContainText("# mine");
  await page.getByRole("button", { name: "Save" }).click();
  await expect.poll(() => readFileSync(join(program.dir, "counts.yaml"), "utf8")).toContain("# mine");
});

for (const [title, loaded] of [["a view", true], ["a part of the page", false]] as const) {
  test(`${title} that could not be loaded comes when the program answers again`, async ({ page }) => {
    program = new Program({ "counts.yaml": counts });
    wire = new Wire();
    await page.goto(await wire.lead(await program.open("counts.yaml")));
    if (loaded) {
      await page.getByRole("link", { name: "Servers" }).click();
      await expect(page.getByRole("link", { name: "filesystem" })).toBeVisible();
    }
    await page.getByRole("link", { name: "Editor", exact: true }).click();
    await expect(page.getByText("Live", { exact: true })).toBeVisible();
    await wire.cut();
    await page.getByRole("link", { name: "Servers" }).click();
    await expect(page.getByText("Patchbay does not answer", { exact: true })).toBeVisible();
    await accessible(page);
    await wire.join();
    await expect(page.getByRole("link", { name: "filesystem" })).toBeVisible();
    await expect(page.getByText("Live", { exact: true })).toBeVisible();
  });
}

test("a part of the editor that did not come is said to be missing, and loaded again", async ({ page }) => {
  program = new Program({ "counts.yaml": counts });
  const link = await program.open("counts.yaml");
  await page.route(/\/assets\/complete-[^/]*\.js$/, (route) => route.abort());
  await page.goto(link);
  const missing = page.getByRole("alert");
  await expect(missing).toHaveCount(1);
  await fits(page);
  await accessible(page);
  await page.unrouteAll();
  await missing.getByRole("button", { name: "Try again" }).press("Enter");
  await expect(node(page, "double")).toBeVisible();
  await expect(page.locator(".cm-content")).toContainText("double");
});

test("a graph is checked again while a server that it needs is starting", async ({ page }) => {
  program = new Program({ "counts.yaml": counts });
  const link = await program.open("counts.yaml");
  await page.route("**/ui/api/events", () => undefined); // no event says that it has started
  const starting = { code: "server-starting", severity: "error", message: 'server "files" is still starting', path: "/nodes/1" };
  await page.route("**/ui/api/op/validate_graph", (route) => route.fulfill({ json: { result: { valid: false, errors: [starting] } } }), { times: 1 });
  await page.goto(link);
  await expect(page.getByText("valid", { exact: true })).toBeVisible();
});

test("the sign-in says what failed, and keeps what was written", async ({ page }) => {
  program = new Program({ "counts.yaml": counts });
  const link = new URL(await program.open("counts.yaml"));
  await page.goto(link.origin + link.pathname);
  const token = page.getByLabel("Token");
  await token.fill("wrong");
  await token.press("Enter");
  await expect(page.getByRole("alert")).toBeVisible();
  await page.route("**/ui/api/session", (route) => route.abort());
  await token.fill(link.href);
  await token.press("Enter");
  await expect(page.getByRole("alert")).toContainText("Patchbay does not answer");
  await expect(token).toHaveValue(link.href);
  await accessible(page);
  await fits(page);
  await page.unroute("**/ui/api/session");
  await token.press("Enter");
  await expect(node(page, "double")).toBeVisible();
});

test("a run that ends while the program cannot be reached is shown then", async ({ page }) => {
  program = new Program({ "notes.yaml": readNotes });
  const { path, give } = program.pipe("slow.txt");
  wire = new Wire();
  await page.goto(await wire.lead(await program.open("notes.yaml")));
  await serversReady(page);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByLabel("path").fill(path);
  await page.getByLabel("path").press("Enter");
  await expect(node(page, "read").getByText("running")).toBeAttached();
  await wire.cut();
  await expect(page.getByRole("alert").filter({ hasText: "Patchbay does not answer" })).toBeVisible();
  await give("a\nb");
  await expect.poll(() => program.command("runs", "list")).toContain("succeeded");
  await wire.join();
  await expect(page.getByRole("region", { name: "Result" })).toContainText('"lines":2');
  await expect(node(page, "exit").locator("article")).toHaveClass(/done/);
});

test("when the session has ended, the page asks for a token and then shows what it did before", async ({ page }) => {
  program = new Program({ "counts.yaml": counts });
  wire = new Wire();
  await page.goto(await wire.lead(await program.open("counts.yaml")));
  const text = page.getByRole("textbox", { name: "Text of the graph" });
  await text.click();
  await text.press("ControlOrMeta+Home");
  await page.keyboard.type("# mine\n");
  await node(page, "double").click();
  await expect(page.getByRole("textbox", { name: "Name of the node" })).toHaveValue("double");

  const link = await wire.lead(await program.open("counts.yaml")); // another program, which does not know the session
  await expect(page.getByRole("alert")).toContainText("The session has ended.");
  await accessible(page);
  await fits(page);
  await page.getByLabel("Token").fill(link);
  await page.getByLabel("Token").press("Enter");
  await expect(page.getByRole("textbox", { name: "Name of the node" })).toHaveValue("double");
  await page.getByRole("tab", { name: "Text" }).click();
  await expect(page.locator(".cm-content")).toContainText("# mine");
});

test("where no token is needed, a session that has ended is replaced", async ({ page }) => {
  program = new Program({});
  const served = program.start("serve", "--http", "127.0.0.1:0");
  const url = await new Promise<string>((found) => served.stderr!.on("data", (b) => /http:\S+\/mcp/.exec(String(b)) && found(new URL("/ui/", /http:\S+\/mcp/.exec(String(b))![0]).href)));
  await page.goto(url + "#/catalog?q=transform");
  const found = page.getByRole("link", { name: "transform" }).first();
  await expect(found).toBeVisible();
  expect(await page.evaluate(async () => (await fetch("api/session", { method: "DELETE", headers: { "X-Patchbay-UI": localStorage.getItem("patchbay-ui-key")! } })).ok)).toBe(true);
  await found.click();
  await expect(page.getByRole("heading", { name: "Parameters" })).toBeVisible();
  served.kill();
});

// A client of MCP that shows pages, for tests: it reads the page from a served patchbay as
// clients do, shows it in a sandboxed frame, and passes its calls on.
import { spawn, type ChildProcess } from "node:child_process";
import { expect, type FrameLocator, type Page } from "@playwright/test";

import type { Program } from "./program";

type Object = Record<string, unknown>;

const extension = { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } };
const policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src 'none'; base-uri 'none'; form-action 'none'";

/** Runs in the client's page: JSON-RPC with the frame. */
const script = `
const frame = document.querySelector("iframe");
const send = (m) => frame.contentWindow.postMessage({ jsonrpc: "2.0", ...m }, "*");
window.sizes = []; window.told = []; window.answers = [];
window.send = send;
const initialized = new Promise((done) => addEventListener("message", async (e) => {
  if (e.source !== frame.contentWindow) return;
  const m = e.data;
  if (m.method === "ui/initialize") send({ id: m.id, result: { protocolVersion: "2026-01-26", hostInfo: { name: "host", version: "1" }, hostCapabilities: window.capabilities, hostContext: window.hostContext } });
  else if (m.method === "ui/notifications/initialized") done();
  else if (m.method === "ui/notifications/size-changed") { window.sizes.push(m.params); frame.style.height = m.params.height + "px"; }
  else if (m.method === "ui/update-model-context") { window.told.push(m.params.content[0].text); send({ id: m.id, result: {} }); }
  else if (m.method === "tools/call") send({ id: m.id, result: await window.callTool(m.params.name, m.params.arguments) });
  else if (m.id !== undefined && m.method === undefined) window.answers.push(m);
  else if (m.id !== undefined) send({ id: m.id, error: { code: -32601, message: "unknown" } });
}));
window.ready = initialized;
`;

export class TestHost {
  /** The calls that the page has made. */
  readonly calls: string[] = [];
  /** The client cannot reach the server. */
  lost = false;
  private child: ChildProcess | undefined;
  private url = "";
  private last = 0;

  constructor(private readonly program: Program) {}

  /** Serves the project over HTTP, and waits for its servers: a graph is refused that needs one
   * which takes long to start. */
  async serve(): Promise<void> {
    const child = (this.child = this.program.start("serve", "--http", "127.0.0.1:0"));
    this.url = await new Promise((found, failed) => {
      let log = "";
      child.stderr!.on("data", (b) => {
        log += String(b);
        const url = /serving (http:\S+)/.exec(log)?.[1];
        if (url) found(url);
      });
      child.on("exit", () => failed(new Error(log)));
    });
    await expect.poll(async () => (await this.call("get_node_types", {})).structuredContent).not.toHaveProperty("catalog.pending");
  }

  async request(method: string, params: Object): Promise<Object> {
    const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": { name: "host", version: "1" }, "io.modelcontextprotocol/clientCapabilities": { extensions: extension } };
    const name = (params.name ?? params.uri) as string | undefined;
    const r = await fetch(this.url, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, ...(name ? { "Mcp-Name": name } : {}) },
      body: JSON.stringify({ jsonrpc: "2.0", id: ++this.last, method, params: { ...params, _meta: meta } }),
    });
    const text = await r.text();
    const data = text.split("\n").filter((l) => l.startsWith("data: ")).map((l) => JSON.parse(l.slice(6)) as Object);
    const reply = (data.find((m) => "id" in m) ?? JSON.parse(text)) as { result?: Object; error?: { message: string } };
    if (!reply.result) throw new Error(reply.error?.message ?? text);
    return reply.result;
  }

  call(name: string, args: Object): Promise<Object> {
    return this.request("tools/call", { name, arguments: args });
  }

  /** Shows the page for a call of a tool: its arguments, and its result. */
  async show(page: Page, tool: string, args: Object, options: { theme?: string; plain?: boolean } = {}): Promise<FrameLocator> {
    const { tools } = (await this.request("tools/list", {})) as { tools: { name: string; _meta?: { ui?: { resourceUri?: string } } }[] };
    const uri = tools.find((t) => t.name === tool)?._meta?.ui?.resourceUri;
    if (!uri) throw new Error(`${tool} has no page`);
    const { contents } = (await this.request("resources/read", { uri })) as { contents: { mimeType: string; text: string }[] };
    expect(contents[0]!.mimeType).toBe("text/html;profile=mcp-app");
    await page.route("http://host.test/**", (route) => {
      const app = route.request().url().endsWith("/app");
      void route.fulfill(
        app
          ? { contentType: "text/html", headers: { "Content-Security-Policy": policy }, body: contents[0]!.text }
          : { contentType: "text/html", body: `<!doctype html><html lang="en"><title>Host</title><body style="margin:0"><main><h1 style="position:absolute;clip-path:inset(50%)">Host</h1><iframe title="App" sandbox="allow-scripts" style="border:0;width:100%;height:200px"></iframe></main><script>${script}</script>` },
      );
    });
    await page.exposeFunction("callTool", async (name: string, a: Object) => {
      this.calls.push(name);
      if (this.lost) return { isError: true, content: [{ type: "text", text: "the server is lost" }] };
      return this.call(name, a);
    });
    await page.goto("http://host.test/");
    await page.evaluate(
      ([tool, plain, theme]) => {
        Object.assign(window, { capabilities: plain ? {} : { serverTools: {}, updateModelContext: { text: {} } }, hostContext: { theme, toolInfo: { tool: { name: tool } }, containerDimensions: { maxHeight: 700 } } });
        document.querySelector("iframe")!.src = "/app";
        return (window as unknown as { ready: Promise<void> }).ready;
      },
      [tool, options.plain ?? false, options.theme ?? "light"] as const,
    );
    await this.notify(page, "tool-input", { arguments: args });
    await this.notify(page, "tool-result", await this.call(tool, args));
    return page.frameLocator("iframe");
  }

  notify(page: Page, name: string, params: Object): Promise<void> {
    return page.evaluate(([method, p]) => (window as unknown as { send: (m: Object) => void }).send({ method, params: p }), [`ui/notifications/${name}`, params] as const);
  }

  async close(): Promise<void> {
    const child = this.child;
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((done) => child.once("exit", done));
    child.kill();
    await ended;
  }
}

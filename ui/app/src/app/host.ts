// The client of MCP that shows this page: JSON-RPC 2.0 over postMessage, as the
// specification of MCP Apps has it (2026-01-26).
import type { Fault, Json } from "../api/types";

type Object = Record<string, unknown>;

export interface ToolResult {
  structuredContent?: Object;
  content?: { type: string; text?: string }[];
  isError?: boolean;
}

export interface HostContext {
  theme?: "light" | "dark";
  toolInfo?: { tool: { name: string } };
  displayMode?: string;
  availableDisplayModes?: string[];
  containerDimensions?: { height?: number; maxHeight?: number; width?: number; maxWidth?: number };
}

/** What the page is told of the call that it is shown for. */
export interface HostEvents {
  input(args: Object): void;
  result(r: ToolResult): void;
  cancelled(reason: string | undefined): void;
  changed(c: HostContext): void;
  teardown(): void;
}

interface Message {
  jsonrpc: "2.0";
  id?: number | string;
  method?: string;
  params?: Object;
  result?: Object;
  error?: { code: number; message: string };
}

const unknownMethod = -32601;

export class Host {
  context: HostContext = {};
  capabilities: Object = {};

  private last = 0;
  private open = new Map<number | string, { resolve: (r: Object) => void; reject: (e: Error) => void }>();

  constructor(
    private readonly events: HostEvents,
    private readonly to: Window = window.parent,
  ) {
    window.addEventListener("message", (e) => {
      if (e.source === this.to) this.take(e.data as Message);
    });
  }

  /** Whether tools of the server can be called. */
  get callsTools(): boolean {
    return this.capabilities.serverTools !== undefined;
  }

  async connect(version: string): Promise<void> {
    const r = await this.request("ui/initialize", {
      appInfo: { name: "patchbay-graph", version },
      appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
      protocolVersion: "2026-01-26",
    });
    this.capabilities = (r.hostCapabilities as Object | undefined) ?? {};
    this.change((r.hostContext as HostContext | undefined) ?? {});
    this.notify("ui/notifications/initialized", {});
  }

  /** Calls a tool of the server and returns its structured result; throws its fault. */
  async call<T>(name: string, args: Object): Promise<T> {
    const r = (await this.request("tools/call", { name, arguments: args })) as ToolResult;
    const reply = r.structuredContent;
    if (reply === undefined || (r.isError && isFault(reply.error) && reply.run_id === undefined)) {
      const fault = reply?.error as Fault | undefined;
      throw new Error(fault?.message ?? r.content?.find((c) => c.text)?.text ?? `${name} did not reply`);
    }
    return reply as T;
  }

  /** Tells the model what a person did here, where the client can. */
  tell(text: string): void {
    if (this.capabilities.updateModelContext !== undefined) void this.request("ui/update-model-context", { content: [{ type: "text", text }] }).catch(() => undefined);
  }

  async show(mode: "inline" | "fullscreen"): Promise<void> {
    const r = await this.request("ui/request-display-mode", { mode });
    this.change({ displayMode: r.mode as string });
  }

  resized(width: number, height: number): void {
    this.notify("ui/notifications/size-changed", { width, height });
  }

  private change(c: HostContext): void {
    this.context = { ...this.context, ...c };
    this.events.changed(this.context);
  }

  private request(method: string, params: Object): Promise<Object> {
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      this.open.set(id, { resolve, reject });
      this.send({ jsonrpc: "2.0", id, method, params });
    });
  }

  private notify(method: string, params: Object): void {
    this.send({ jsonrpc: "2.0", method, params });
  }

  // The page does not know its client's origin, and what it sends has no secrets of it.
  private send(m: Message): void {
    this.to.postMessage(m, "*");
  }

  private take(m: Message | undefined): void {
    if (m?.jsonrpc !== "2.0") return;
    if (m.method !== undefined) return this.receive(m, m.method);
    const asked = m.id === undefined ? undefined : this.open.get(m.id);
    if (!asked || m.id === undefined) return;
    this.open.delete(m.id);
    if (m.error) asked.reject(new Error(m.error.message));
    else asked.resolve(m.result ?? {});
  }

  private receive(m: Message, method: string): void {
    const params = m.params ?? {};
    const known: Record<string, () => void> = {
      ping: () => undefined,
      "ui/resource-teardown": () => this.events.teardown(),
      "ui/notifications/tool-input": () => this.events.input((params.arguments as Object | undefined) ?? {}),
      "ui/notifications/tool-result": () => this.events.result(params as ToolResult),
      "ui/notifications/tool-cancelled": () => this.events.cancelled(params.reason as string | undefined),
      "ui/notifications/host-context-changed": () => this.change(params as HostContext),
    };
    known[method]?.();
    if (m.id === undefined) return;
    this.send(method in known ? { jsonrpc: "2.0", id: m.id, result: {} } : { jsonrpc: "2.0", id: m.id, error: { code: unknownMethod, message: `unknown method ${method}` } });
  }
}

function isFault(v: unknown): v is Fault {
  return typeof v === "object" && v !== null && typeof (v as { message?: Json }).message === "string";
}

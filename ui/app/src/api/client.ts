// Requests to the program that serves this page. Every operation is one request.
import { jsonString, parseJson } from "../lib/exact";
import type { Fault, Session } from "./types";

/** A request that was answered with a fault, or was not answered. */
export class ApiError extends Error {
  constructor(
    readonly fault: Fault,
    readonly status: number,
    options?: ErrorOptions,
  ) {
    super(fault.message, options);
  }

  /** The program cannot be reached. */
  get offline(): boolean {
    return this.status === 0;
  }

  /** The page has no session. */
  get unauthorized(): boolean {
    return this.status === 401;
  }
}

const base = new URL("./api/", document.baseURI);

// Every request has the key with which the page has signed in. The pages of one address share
// it, and no program at another port of the same host gets it, as it gets the cookie.
const keyName = "patchbay-ui-key";
let key = newKey(); // where the browser keeps nothing

function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(32)), (b) => b.toString(16).padStart(2, "0")).join("");
}

function keyOfPage(): string {
  try {
    return localStorage.getItem(keyName) ?? key;
  } catch {
    return key;
  }
}

export function requestHeaders(key = keyOfPage()): Record<string, string> {
  return { "X-Patchbay-UI": key };
}

type Listener = (failure: ApiError | null) => void;
const listeners = new Set<Listener>();

/** Calls back after every request: with how it failed to reach the program, or null. */
export function onReply(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function apiURL(path: string): URL {
  return new URL(path, base);
}

export async function request<T>(method: "GET" | "POST", path: string, body?: unknown, signal?: AbortSignal, headers = requestHeaders()): Promise<T> {
  let response: Response;
  try {
    response = await fetch(apiURL(path), {
      method,
      signal,
      credentials: "same-origin",
      headers: body === undefined ? headers : { ...headers, "Content-Type": "application/json" },
      body: body === undefined ? undefined : jsonString(body),
    });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw report(new ApiError({ code: "offline", message: "Patchbay does not answer" }, 0, { cause }));
  }
  const text = await response.text();
  let reply: { error?: Fault } & Record<string, unknown> = {};
  try {
    reply = text === "" ? {} : (parseJson(text) as typeof reply);
  } catch {
    reply = { error: { code: "bad-reply", message: text.slice(0, 200) || response.statusText } };
  }
  if (!response.ok || isFault(reply.error)) {
    const fault = isFault(reply.error) ? reply.error : { code: `http-${response.status}`, message: response.statusText || `status ${response.status}` };
    throw report(new ApiError(fault, response.status));
  }
  listeners.forEach((l) => l(null));
  return reply as T;
}

function isFault(v: unknown): v is Fault {
  return typeof v === "object" && v !== null && typeof (v as Fault).message === "string";
}

function report(e: ApiError): ApiError {
  if (e.offline || e.unauthorized) listeners.forEach((l) => l(e));
  else listeners.forEach((l) => l(null));
  return e;
}

/** Runs an operation and returns its result. */
export async function operation<T>(name: string, args: object, signal?: AbortSignal): Promise<T> {
  const reply = await request<{ result: T }>("POST", `op/${encodeURIComponent(name)}`, args, signal);
  return reply.result;
}

export const getSession = (): Promise<Session> => request("GET", "session");

/** Signs in, with a token or where none is needed with "". */
export async function openSession(token: string): Promise<void> {
  const next = newKey();
  await request("POST", "session", { token }, undefined, requestHeaders(next));
  key = next;
  try {
    localStorage.setItem(keyName, next);
  } catch {
    // the page holds it until it is left
  }
}

export interface GraphFile {
  path: string;
  text: string;
  hash: string;
}

export const getFile = (): Promise<GraphFile> => request("GET", "file");
export const saveFile = (text: string, baseHash: string): Promise<GraphFile> => request("POST", "file", { text, baseHash });

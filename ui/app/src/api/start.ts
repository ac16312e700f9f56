// What the page begins with: the program has put the replies to its first requests into it.
import { parseJson } from "../lib/exact";

let replies: Record<string, unknown> | undefined;

function read(): Record<string, unknown> {
  const text = document.querySelector<HTMLTemplateElement>("#start")?.content.textContent;
  return text ? (parseJson(text) as Record<string, unknown>) : {};
}

/** The reply to a request, if the page begins with that: once, and only before any other
 * request, since later it may not be true any more. */
export function replyAtStart(method: string, path: string): unknown {
  replies ??= read();
  const reply = method === "GET" ? replies[path] : undefined;
  if (reply === undefined) replies = {};
  else delete replies[path];
  return reply;
}

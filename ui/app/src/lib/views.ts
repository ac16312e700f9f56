// The views of the page. Each is a part that is loaded when it is first shown.
import type { Component } from "svelte";

import { ApiError } from "../api/client";
import type { View } from "../stores/route.svelte";
import type { IconName } from "./icons";

interface ViewInfo {
  name: View;
  title: string;
  icon: IconName;
  load: () => Promise<{ default: Component }>;
  /** Loads what it imports only when it runs, but needs for its first view. */
  also?: () => Promise<unknown>;
}

/** A part that cannot be loaded says that the program does not answer. */
function part(load: ViewInfo["load"]): ViewInfo["load"] {
  return () =>
    load().catch((cause: unknown) => {
      throw new ApiError({ code: "offline", message: "Patchbay does not answer" }, 0, { cause });
    });
}

/** Loads the view that an address names, before it is known who opens it. */
export function loadEarly(name: View): void {
  const view = views.find((v) => v.name === name);
  for (const load of [view?.load, view?.also]) void load?.().catch(() => undefined); // it is asked for again
}

export const views: ViewInfo[] = [
  { name: "editor", title: "Editor", icon: "editor", load: part(() => import("../editor/Editor.svelte")), also: () => import("../editor/canvas/Canvas.svelte") },
  { name: "catalog", title: "Catalog", icon: "catalog", load: part(() => import("../views/catalog/Catalog.svelte")) },
  { name: "runs", title: "Runs", icon: "runs", load: part(() => import("../views/runs/Runs.svelte")) },
  { name: "servers", title: "Servers", icon: "servers", load: part(() => import("../views/servers/Servers.svelte")) },
];

// The views of the page. The editor, with which it opens most often, comes with the page; the
// others are parts that are loaded when they are first shown.
import type { Component } from "svelte";

import { ApiError } from "../api/client";
import Editor from "../editor/Editor.svelte";
import type { View } from "../stores/route.svelte";
import type { IconName } from "./icons";

interface ViewInfo {
  name: View;
  title: string;
  icon: IconName;
  load: () => Promise<{ default: Component }>;
}

/** A part that cannot be loaded says that the program does not answer. */
function part(load: ViewInfo["load"]): ViewInfo["load"] {
  return () =>
    load().catch((cause: unknown) => {
      throw new ApiError({ code: "offline", message: "Patchbay does not answer" }, 0, { cause });
    });
}

export const views: ViewInfo[] = [
  { name: "home", title: "Home", icon: "home", load: part(() => import("../views/home/Home.svelte")) },
  { name: "editor", title: "Editor", icon: "editor", load: () => Promise.resolve({ default: Editor }) },
  { name: "catalog", title: "Catalog", icon: "catalog", load: part(() => import("../views/catalog/Catalog.svelte")) },
  { name: "runs", title: "Runs", icon: "runs", load: part(() => import("../views/runs/Runs.svelte")) },
  { name: "servers", title: "Servers", icon: "servers", load: part(() => import("../views/servers/Servers.svelte")) },
];

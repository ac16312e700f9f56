// The views of the page. Each is a part that is loaded when it is first shown.
import type { Component } from "svelte";

import type { View } from "../stores/route.svelte";
import type { IconName } from "./icons";

interface ViewInfo {
  name: View;
  title: string;
  icon: IconName;
  load: () => Promise<{ default: Component }>;
}

export const views: ViewInfo[] = [
  { name: "editor", title: "Editor", icon: "editor", load: () => import("../editor/Editor.svelte") },
  { name: "catalog", title: "Catalog", icon: "catalog", load: () => import("../views/catalog/Catalog.svelte") },
  { name: "runs", title: "Runs", icon: "runs", load: () => import("../views/runs/Runs.svelte") },
  { name: "servers", title: "Servers", icon: "servers", load: () => import("../views/servers/Servers.svelte") },
];

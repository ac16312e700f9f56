import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";

import { mount } from "svelte";

import App from "./App.svelte";
import { loadEarly } from "./lib/views";
import { route } from "./stores/route.svelte";

const target = document.getElementById("app");
if (!target) throw new Error("the page has no element for the application");
loadEarly(route.place.view);
mount(App, { target });

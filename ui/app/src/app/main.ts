import "../styles/tokens.css";
import "../styles/base.css";
import "../styles/controls.css";
import "./app.css";

import { mount } from "svelte";

import GraphApp from "./GraphApp.svelte";

mount(GraphApp, { target: document.getElementById("app")! });

import { expect, it } from "vitest";

import { matching } from "./palette.svelte";

it("finds by all words, and first what begins with them", () => {
  const list = ["big read", "read notes", "write"].map((title) => ({ title, about: "node", run: () => undefined }));
  expect(matching(list, "READ").map((c) => c.title)).toEqual(["read notes", "big read"]);
  expect(matching(list, "node notes").map((c) => c.title)).toEqual(["read notes"]);
  expect(matching(list, "").length).toBe(3);
  expect(matching(list, "no such")).toEqual([]);
});

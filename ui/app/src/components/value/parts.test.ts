import { expect, it } from "vitest";

import { numberOf } from "../../lib/exact";
import { columnsOf, found, hasLines, imageOf, kindOf, Outline, partCount, partsOf, pathText, preview, Unread } from "./parts";

it("tells what a value is, with numbers of any length", () => {
  expect([{}, [], "a", 1, numberOf("12345678901234567890"), true, null, new Unread(), new Outline(3), new Outline(["a"])].map(kindOf)).toEqual([
    "object", "list", "text", "number", "number", "boolean", "null", "unread", "list", "object",
  ]);
  expect(preview(numberOf("12345678901234567890"))).toBe("12345678901234567890");
});

it("shows a text as it is, and of a long one its beginning", () => {
  expect(preview('one\n"two"')).toBe('"one\n"two""');
  expect(preview("x".repeat(201))).toBe(`"${"x".repeat(200)}…`);
  expect(preview("x".repeat(201), Infinity)).toHaveLength(203);
  expect([{ a: ["one\ntwo"] }, "\n", "\\n", { a: 1 }].map(hasLines)).toEqual([true, true, false, false]);
});

it("writes paths that JSONata reads", () => {
  expect(pathText("$.read", ["items", 3, "odd key", "a_1"])).toBe("$.read.items[3].`odd key`.a_1");
  expect(pathText("$", [])).toBe("$");
});

it("shows a list of objects as a table, and nothing else", () => {
  expect(columnsOf([{ a: 1 }, { b: 2, a: 3 }])).toEqual(["a", "b"]);
  for (const v of [[{ a: 1 }], [{ a: 1 }, 2], { a: 1 }, [], [[1], [2]]]) expect(columnsOf(v)).toBeUndefined();
});

it("shows images of content blocks and data URLs", () => {
  expect(imageOf({ type: "image", mimeType: "image/png", data: "AAAA" })).toBe("data:image/png;base64,AAAA");
  expect(imageOf({ mimeType: "image/svg+xml", data: "AAAA" })).toBeUndefined();
  expect(imageOf({ mimeType: "image/png", data: '" onerror="x' })).toBeUndefined();
  expect(imageOf("data:image/png;base64,AAAA")).toBe("data:image/png;base64,AAAA");
});

it("finds keys and texts, whatever their case, up to a limit", () => {
  const value = { Name: "ada", list: [{ note: "Name of a ship" }, "none"] };
  expect(found(value, "name", 10).map((m) => m.path)).toEqual([["Name"], ["list", 0, "note"]]);
  expect(found(value, "name", 1)).toHaveLength(1);
  expect(found(value, "zebra", 10)).toEqual([]);
});

it("has parts of outlines that are read later", () => {
  expect(partCount(new Outline(1000))).toBe(1000);
  expect(partsOf(new Outline(1000), 2).map((p) => p.key)).toEqual([0, 1]);
  expect(partsOf(new Outline(["a", "b"]), 100).map((p) => p.key)).toEqual(["a", "b"]);
});

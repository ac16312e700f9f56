import { expect, it } from "vitest";

import { EventParser } from "./eventparser";

it("reads events, however they are cut", () => {
  const stream = ": hello\n\nevent: node\ndata: [1,\ndata: 2]\n\nevent: catalog\r\ndata: {}\r\n\r\ndata: x\n\nevent: lost\ndata: 1";
  for (const size of [1, 3, 7, 1000]) {
    const parser = new EventParser();
    const got = [];
    for (let i = 0; i < stream.length; i += size) got.push(...parser.push(stream.slice(i, i + size)));
    expect(got).toEqual([
      { event: "node", data: "[1,\n2]" },
      { event: "catalog", data: "{}" },
      { event: "message", data: "x" },
    ]);
  }
});

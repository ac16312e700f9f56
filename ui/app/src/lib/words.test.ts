import { expect, test } from "vitest";

import { words } from "./words";

test.each([
  ["npx -y pkg .", ["npx", "-y", "pkg", "."]],
  [`  run "two words" 'it''s' a\\ b  `, ["run", "two words", "its", "a b"]],
  [`x "a \\"b\\" \\n" ''`, ["x", 'a "b" \\n', ""]],
  ["", []],
])("the words of %j", (line, want) => expect(words(line)).toEqual(want));

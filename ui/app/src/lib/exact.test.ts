import { expect, it } from "vitest";

import { isExact, isNumberText, jsonString, numberOf, parseJson } from "./exact";

it("keeps the digits of every number", () => {
  const text = '{"id":12345678901234567890,"list":[-9007199254740993,1,2.5,0.12345678901234567891],"far":1e400,"text":"12345678901234567890 \\" 1e400"}';
  const value = parseJson(text) as { id: unknown; list: unknown[]; text: string };
  expect(jsonString(value)).toBe(text);
  expect(String(value.id)).toBe("12345678901234567890");
  expect(value.list.map(isExact)).toEqual([true, false, false, true]);
  expect(value.text).toBe('12345678901234567890 " 1e400');
});

it("leaves numbers that fit as they are", () => {
  expect(parseJson('[9007199254740991, 1e21, 1.0000000000000000, 100000000000000000000e-2, 0.1, 1e-7]')).toEqual([9007199254740991, 1e21, 1, 1e18, 0.1, 1e-7]);
  expect(numberOf("3")).toBe(3);
  expect(isExact(numberOf("9007199254740992"))).toBe(true);
});

it("refuses what is not JSON, and numbers that JSON does not have", () => {
  expect(() => parseJson("[12345678901234567890")).toThrow();
  expect(() => parseJson("[01234567890123456789]")).toThrow();
  expect(["0", "-1.5e3", "12"].every(isNumberText)).toBe(true);
  expect(["01", "1.", "+1", "0x1", "Infinity", ""].some(isNumberText)).toBe(false);
});

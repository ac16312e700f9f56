/** The words of a command line, as a shell splits them: quotes and backslashes keep spaces. */
export function words(line: string): string[] {
  const list: string[] = [];
  const part = /\s+|"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)|([^\s"'\\]+)|./gs;
  let word: string | undefined;
  for (const [all, double, single, escaped, plain] of line.trim().matchAll(part)) {
    if (/^\s/.test(all)) {
      if (word !== undefined) list.push(word);
      word = undefined;
    } else word = (word ?? "") + (double?.replace(/\\(["\\$`])/g, "$1") ?? single ?? escaped ?? plain ?? all);
  }
  return word === undefined ? list : [...list, word];
}

// Reads the plain part of YAML, in which graphs are written: maps, lists, and scalars on one line
// or as a literal block. The library that reads all of YAML takes twenty times as long, which at
// a thousand nodes is most of the time until a drawing is seen. What is not plain, or may be
// wrong, is left to that library.
import type { Json } from "../../api/types";

export interface Plain {
  value: Json;
  /** Where each object is in the text. */
  ranges: Map<object, [number, number]>;
}

/** Reads a text; undefined if the library has to. */
export function readPlain(text: string): Plain | undefined {
  if (/[\r\t\u0085\u2028\u2029\ufeff]/.test(text)) return undefined;
  try {
    const reader = new Reader(text.endsWith("\n") ? text : `${text}\n`);
    const value = reader.document();
    return { value, ranges: reader.ranges };
  } catch (e) {
    if (e instanceof NotPlain) return undefined;
    throw e;
  }
}

class NotPlain extends Error {}

const blankLines = /(?: *(?:#.*)?\n)*/y;
const restOfLine = /(?: +#.*| *)(?:\n|$)/y;
const plainKey = /([A-Za-z_$][\w.$/-]*) *:(?=[ \n]|$)/y;
const quotedKey = /("[^"\\\n]*"|'[^'\n]*') *:(?=[ \n]|$)/y;
const flowKey = /([A-Za-z_$][\w.$/-]*) *:(?=[ \n])|("[^"\\\n]*"|'[^'\n]*') *:/y;
const quoted = /"((?:[^"\\\n]|\\["\\/bfnrt]|\\u[\da-fA-F]{4})*)"|'((?:[^'\n]|'')*)'/y;
const blockScalar = /[^\s,[\]{}#&*!|>'"%@`?:-](?:[^\n:#]|:(?! |\n|$)|(?<! )#)*|-[\d.][\d.eE+-]*/y;
const flowScalar = /[^\s,[\]{}#&*!|>'"%@`?:-](?:[^\n:#,[\]{}]|:(?![\s,[\]{}]|$)|(?<! )#)*|-[\d.][\d.eE+-]*/y;
const flowSpace = /[ \n]*/y;
const literal = /\|(-?) *\n/y;

class Reader {
  readonly ranges = new Map<object, [number, number]>();
  private at = 0;
  private end = 0; // of the latest value
  private around = 0; // the indentation of what has a list or map in brackets

  constructor(private readonly text: string) {}

  document(): Json {
    const indent = this.next();
    if (indent !== 0) throw new NotPlain();
    const value = this.block(0);
    if (this.next() >= 0) throw new NotPlain();
    return value;
  }

  private match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (!found) return undefined;
    this.at = pattern.lastIndex;
    return found;
  }

  /** Goes to the next line that has something, or stays where it begins, and returns its
   * indentation; -1 at the end. */
  private next(): number {
    while (this.text[this.at - 1] === " ") this.at--;
    this.match(blankLines);
    const line = this.at;
    while (this.text[this.at] === " ") this.at++;
    return this.at === this.text.length ? -1 : this.at - line;
  }

  private endOfLine(): void {
    this.end = this.at;
    if (!this.match(restOfLine)) throw new NotPlain();
  }

  private isItem(): boolean {
    return this.text[this.at] === "-" && (this.text[this.at + 1] === " " || this.text[this.at + 1] === "\n");
  }

  private key(): string | undefined {
    const found = this.match(plainKey) ?? this.match(quotedKey);
    return found && named(found[1]!);
  }

  /** A map or a list whose lines begin at a column. */
  private block(indent: number): Json {
    if (this.isItem()) return this.list(indent);
    const start = this.at;
    const first = this.key();
    if (first === undefined) throw new NotPlain();
    const map: Record<string, Json> = {};
    for (let key: string | undefined = first; ; key = this.key()) {
      if (key === undefined || key in map) throw new NotPlain();
      map[key] = this.member(indent);
      const to = this.next();
      if (to < indent) break;
      if (to > indent || this.isItem()) throw new NotPlain();
    }
    this.ranges.set(map, [start, this.end]);
    return map;
  }

  /** What follows the colon of a key. */
  private member(indent: number): Json {
    const after = this.at;
    if (!this.match(restOfLine)) return this.inLine(indent);
    this.end = after;
    const to = this.next();
    if (to > indent) return this.block(to);
    return to === indent && this.isItem() ? this.list(indent) : null;
  }

  private list(indent: number): Json {
    const list: Json[] = [];
    do {
      const dash = this.at++;
      if (this.match(restOfLine)) {
        const to = this.next();
        list.push(to > indent ? this.block(to) : null);
      } else {
        while (this.text[this.at] === " ") this.at++;
        const column = indent + this.at - dash;
        const start = this.at;
        const isMap = this.key() !== undefined;
        this.at = start;
        list.push(isMap || this.isItem() ? this.block(column) : this.inLine(indent));
      }
      const to = this.next();
      if (to > indent) throw new NotPlain();
      if (to < indent) break;
    } while (this.isItem());
    return list;
  }

  /** A value that begins on the line of its key or dash. */
  private inLine(indent: number): Json {
    while (this.text[this.at] === " ") this.at++;
    const c = this.text[this.at]!;
    let value: Json;
    this.around = indent;
    if (c === "{" || c === "[") value = this.flow();
    else if (c === '"' || c === "'") value = this.quoted();
    else if (c === "|") return this.literal(indent);
    else value = scalar(this.match(blockScalar)?.[0]);
    while (this.text[this.at - 1] === " ") this.at--;
    this.endOfLine();
    return value;
  }

  private quoted(): string {
    const found = this.match(quoted);
    if (!found) throw new NotPlain();
    return found[1] !== undefined ? (found[1].includes("\\") ? (JSON.parse(found[0]) as string) : found[1]) : found[2]!.replaceAll("''", "'");
  }

  private flow(): Json {
    const start = this.at++;
    if (this.text[start] === "[") {
      const list: Json[] = [];
      while (!this.closed("]", list.length > 0)) list.push(this.flowValue());
      return list;
    }
    const map: Record<string, Json> = {};
    let size = 0;
    while (!this.closed("}", size > 0)) {
      const found = this.match(flowKey);
      const key = found && named(found[1] ?? found[2]!);
      if (key === undefined || key in map) throw new NotPlain();
      this.space();
      map[key] = this.flowValue();
      size++;
    }
    this.ranges.set(map, [start, this.at]);
    return map;
  }

  /** Goes on to what is next within brackets: its line has to be further right than what they are part of. */
  private space(): void {
    const passed = this.match(flowSpace)![0];
    const line = passed.lastIndexOf("\n");
    if (line >= 0 && passed.length - line - 1 <= this.around) throw new NotPlain();
  }

  /** Whether a list or map ends here; else goes to its next member. */
  private closed(by: string, more: boolean): boolean {
    this.space();
    if (this.text[this.at] === by) {
      this.at++;
      return true;
    }
    if (!more) return false;
    if (this.text[this.at] !== ",") throw new NotPlain();
    this.at++;
    this.space();
    if (this.text[this.at] === by) {
      this.at++;
      return true;
    }
    return false;
  }

  private flowValue(): Json {
    const c = this.text[this.at];
    if (c === "{" || c === "[") return this.flow();
    if (c === '"' || c === "'") return this.quoted();
    return scalar(this.match(flowScalar)?.[0]);
  }

  private literal(indent: number): Json {
    const head = this.match(literal);
    if (!head) throw new NotPlain();
    const lines: string[] = [];
    let column = 0;
    while (this.at < this.text.length) {
      const end = this.text.indexOf("\n", this.at);
      const line = this.text.slice(this.at, end < 0 ? this.text.length : end);
      const own = line.length - line.trimStart().length;
      if (own === line.length && own > column) throw new NotPlain();
      if (own < line.length) {
        if (column === 0) column = own;
        if (own < column || own <= indent) break;
      } else if (column === 0) throw new NotPlain();
      lines.push(line.slice(column));
      this.at = end < 0 ? this.text.length : end + 1;
      if (end < 0) throw new NotPlain();
    }
    while (lines.at(-1) === "") lines.pop();
    if (lines.length === 0) throw new NotPlain();
    this.end = this.at;
    return lines.join("\n") + (head[1] === "-" ? "" : "\n");
  }
}

const words: Record<string, Json> = { null: null, Null: null, NULL: null, true: true, True: true, TRUE: true, false: false, False: false, FALSE: false };

/** The name that a key has. */
function named(key: string): string {
  const name = /^["']/.test(key) ? key.slice(1, -1) : key;
  if (name in Object.prototype || (name === key && name in words)) throw new NotPlain();
  return name;
}

/** The value of a scalar without quotes, by the core schema of YAML. */
function scalar(text: string | undefined): Json {
  if (text === undefined) throw new NotPlain();
  const s = text.trimEnd();
  if (s.length <= 5 && Object.hasOwn(words, s)) return words[s]!;
  if (!/^[-+.~\d]/.test(s)) return s;
  if (/^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/.test(s) && !/\d{16}/.test(s)) return Number(s);
  if (/^(?:~|0[xo]|[-+]?\.(?:inf|nan)$)|^[-+]?\d*\d{16}/i.test(s)) throw new NotPlain();
  return s;
}

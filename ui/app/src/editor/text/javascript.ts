// JavaScript as far as its colours go: words, texts, numbers and comments.
import { StreamLanguage } from "@codemirror/language";

interface State {
  /** What the text at the place is inside of: a comment, or a template. */
  inside: "" | "comment" | "template";
}

const keywords = new Set(
  "async await break case catch class const continue default delete do else export extends finally for function if in instanceof let new of return static super switch this throw try typeof var void while yield".split(" "),
);
const atoms = new Set(["true", "false", "null", "undefined", "NaN", "Infinity"]);

export const javascript = StreamLanguage.define<State>({
  name: "javascript",
  startState: () => ({ inside: "" }),
  token(stream, state) {
    if (state.inside !== "") {
      const [end, name] = state.inside === "comment" ? ["*/", "comment"] : ["`", "string"];
      while (!stream.eol()) {
        if (stream.match(end!)) {
          state.inside = "";
          break;
        }
        if (stream.next() === "\\" && name === "string") stream.next();
      }
      return name!;
    }
    if (stream.eatSpace()) return null;
    if (stream.match("//")) {
      stream.skipToEnd();
      return "comment";
    }
    if (stream.match("/*")) {
      state.inside = "comment";
      return "comment";
    }
    if (stream.match("`")) {
      state.inside = "template";
      return "string";
    }
    if (stream.match(/^(?:"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)/)) return "string";
    if (stream.match(/^\d[\w.]*/)) return "number";
    const word = stream.match(/^[\p{L}_$][\p{L}\p{N}_$]*/u);
    if (word) {
      const text = (word as RegExpMatchArray)[0];
      return keywords.has(text) ? "keyword" : atoms.has(text) ? "atom" : null;
    }
    stream.next();
    return null;
  },
  languageData: { commentTokens: { line: "//", block: { open: "/*", close: "*/" } } },
});

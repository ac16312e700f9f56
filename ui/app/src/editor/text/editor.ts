// The text editor: CodeMirror with YAML. It is in a shadow root, where its styles are style
// sheets of the script's own, which the content security policy of the page allows.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, type Language, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics, type Diagnostic as LintDiagnostic } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, Transaction, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags as t } from "@lezer/highlight";

import type { Diagnostic, Position } from "../../api/types";
import { forPeople } from "../../lib/hint";

export interface TextEditor {
  view: EditorView;
  setText(text: string): void;
  setDiagnostics(list: Diagnostic[], fix: (d: Diagnostic, index: number) => void): void;
  /** Selects and shows a range of the text. */
  reveal(from: number, to: number): void;
  /** Takes further extensions, in place of those given before. */
  extend(extensions: Extension): void;
  destroy(): void;
}

const colours = HighlightStyle.define([
  { tag: [t.propertyName, t.definition(t.propertyName)], color: "var(--kind-mcp)" },
  { tag: [t.string, t.special(t.string)], color: "var(--ok)" },
  { tag: [t.number, t.bool, t.null, t.keyword], color: "var(--kind-data)" },
  { tag: [t.comment], color: "var(--ink-3)", fontStyle: "italic" },
  { tag: [t.punctuation, t.separator, t.bracket, t.squareBracket, t.brace], color: "var(--ink-2)" },
  { tag: [t.typeName, t.tagName, t.labelName], color: "var(--kind-choice)" },
]);

const theme = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "var(--surface)", fontSize: "12.5px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55", scrollbarWidth: "thin", scrollbarColor: "transparent transparent" },
  "&:hover .cm-scroller, &.cm-focused .cm-scroller": { scrollbarColor: "var(--line-strong) transparent" },
  ".cm-content": { caretColor: "var(--ink)", padding: "8px 0" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--ink-3)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in oklab, var(--hover) 70%, transparent)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground, .cm-content ::selection": { backgroundColor: "var(--accent-soft) !important" },
  ".cm-tooltip": { border: "1px solid var(--line)", borderRadius: "6px", backgroundColor: "var(--raised)", color: "var(--ink)", boxShadow: "var(--shadow-raised)", maxWidth: "min(440px, 90vw)" },
  ".cm-diagnostic": { padding: "6px 10px", fontFamily: "var(--sans)", whiteSpace: "normal" },
  ".cm-diagnostic-error": { borderLeft: "3px solid var(--bad)" },
  ".cm-diagnostic-warning": { borderLeft: "3px solid var(--warn)" },
  ".cm-diagnostic-info": { borderLeft: "3px solid var(--accent)" },
  ".cm-diagnosticAction": { backgroundColor: "var(--accent)", color: "var(--on-accent)", borderRadius: "4px", padding: "2px 8px", fontFamily: "var(--sans)" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--bad)", textUnderlineOffset: "3px" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline wavy var(--warn)", textUnderlineOffset: "3px" },
  ".cm-lintRange-info": { backgroundImage: "none", textDecoration: "underline dotted var(--accent)", textUnderlineOffset: "3px" },
  ".cm-panels": { backgroundColor: "var(--raised)", color: "var(--ink)" },
  ".cm-panels input, .cm-panels button": { font: "inherit" },
  ".cm-tooltip-autocomplete ul": { fontFamily: "var(--mono) !important", maxHeight: "220px !important" },
  ".cm-tooltip-autocomplete ul li": { padding: "3px 8px !important" },
  ".cm-completionDetail": { color: "var(--ink-2)", fontStyle: "normal !important" },
  ".cm-tooltip-autocomplete ul li[aria-selected] .cm-completionDetail": { color: "inherit" },
  ".cm-completionInfo": { padding: "6px 10px !important", fontFamily: "var(--sans)", maxWidth: "320px !important" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
});

export function createTextEditor(host: HTMLElement, text: string, onChange: (text: string) => void, onSave: () => void, as: { language: Language; label: string } | undefined = undefined): TextEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const parent = document.createElement("div");
  parent.style.height = "100%";
  root.append(parent);
  const more = new Compartment();
  const view = new EditorView({
    parent,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        lintGutter(),
        as?.language ?? yaml(),
        syntaxHighlighting(colours),
        theme,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": as?.label ?? "Text of the graph", tabindex: "0" }),
        keymap.of([{ key: "Mod-s", run: () => (onSave(), true) }, ...defaultKeymap, ...historyKeymap, ...searchKeymap, indentWithTab]),
        EditorView.updateListener.of((u) => {
          if (u.docChanged && !u.transactions.every((tr) => tr.annotation(Transaction.remote))) onChange(u.state.doc.toString());
        }),
        more.of([]),
      ],
    }),
  });
  return {
    view,
    setText: (next) => replace(view, next),
    setDiagnostics: (list, fix) => view.dispatch(setDiagnostics(view.state, list.map((d) => lint(view.state, d, fix)))),
    reveal(from, to) {
      const end = view.state.doc.length;
      view.dispatch({ selection: { anchor: Math.min(from, end), head: Math.min(to, end) }, effects: EditorView.scrollIntoView(Math.min(from, end), { y: "center" }) });
    },
    extend: (extensions) => view.dispatch({ effects: more.reconfigure(extensions) }),
    destroy: () => view.destroy(),
  };
}

/** Replaces only what differs, so that the cursor and the history of the rest stay. */
function replace(view: EditorView, next: string): void {
  const now = view.state.doc.toString();
  if (now === next) return;
  let from = 0;
  while (from < now.length && from < next.length && now[from] === next[from]) from++;
  let end = 0;
  while (end < now.length - from && end < next.length - from && now[now.length - 1 - end] === next[next.length - 1 - end]) end++;
  view.dispatch({ changes: { from, to: now.length - end, insert: next.slice(from, next.length - end) }, annotations: Transaction.remote.of(true) });
}

function lint(state: EditorState, d: Diagnostic, fix: (d: Diagnostic, index: number) => void): LintDiagnostic {
  const from = d.range ? offset(state, d.range.start) : 0;
  const to = d.range ? Math.max(offset(state, d.range.end), from) : 0;
  return {
    from,
    to: to === from ? Math.min(from + 1, state.doc.length) : to,
    severity: d.severity === "note" ? "info" : d.severity,
    source: d.code,
    message: [d.message, forPeople(d.hint)].filter(Boolean).join("; "),
    actions: (d.fixes ?? []).slice(0, 3).map((f, i) => ({ name: f.title, apply: () => fix(d, i) })),
  };
}

/** The offset of a place; its column counts characters, not code units. */
export function offset(state: EditorState, p: Position): number {
  const line = state.doc.line(Math.min(Math.max(p.line, 1), state.doc.lines));
  const before = [...line.text].slice(0, p.column - 1).join("").length;
  return line.from + before;
}

// Texts that are not saved. A tab has its own over a reload; the latest one is found again
// after the tab was closed.
export interface Draft {
  text: string;
  /** Of the stored text that it is a change of. */
  revision: string;
}

const name = (document: string): string => `patchbay.text.${document}`;

/** Keeps the draft of a document; undefined removes it. */
export function keepDraft(document: string, draft: Draft | undefined): void {
  for (const store of stores()) {
    try {
      if (draft) store.setItem(name(document), JSON.stringify(draft));
      else store.removeItem(name(document));
    } catch {
      // Without room, a reload loses what was not saved.
    }
  }
}

export function keptDraft(document: string): Draft | undefined {
  for (const store of stores()) {
    try {
      const draft = JSON.parse(store.getItem(name(document)) ?? "null") as Draft | null;
      if (draft) return draft;
    } catch {
      // It is as if it were not kept.
    }
  }
  return undefined;
}

function stores(): Storage[] {
  try {
    return [sessionStorage, localStorage];
  } catch {
    return []; // of a browser that keeps nothing
  }
}

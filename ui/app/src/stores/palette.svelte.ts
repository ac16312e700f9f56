// What can be found and done from anywhere, by Ctrl+K: the parts of the page that are shown say it.
export interface Command {
  title: string;
  about: string;
  run: () => void;
}

class Palette {
  open = $state(false);
  private readonly sources = new Set<() => Command[]>();

  /** Offers commands while a part of the page is shown; the result ends that. */
  offer(commands: () => Command[]): () => void {
    this.sources.add(commands);
    return () => void this.sources.delete(commands);
  }

  /** What can be done now; what the view offers comes first. */
  get commands(): Command[] {
    return [...this.sources].reverse().flatMap((s) => s());
  }
}

export const palette = new Palette();

/** The commands whose texts have all words; those that begin with the first word come first. */
export function matching(commands: Command[], query: string): Command[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const texts = commands.map((c) => ({ c, text: `${c.title} ${c.about}`.toLowerCase() }));
  const found = texts.filter(({ text }) => words.every((w) => text.includes(w)));
  const first = (text: string): number => (words[0] && text.startsWith(words[0]) ? 0 : 1);
  return found.sort((a, b) => first(a.text) - first(b.text)).map(({ c }) => c);
}

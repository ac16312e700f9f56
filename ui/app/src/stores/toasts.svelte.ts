// Short messages about what a person has done.

export interface Toast {
  id: number;
  tone: "ok" | "bad";
  text: string;
}

const shownFor = 6000;

class Toasts {
  list = $state<Toast[]>([]);
  private last = 0;

  show(text: string, tone: Toast["tone"] = "ok"): void {
    const id = ++this.last;
    this.list.push({ id, tone, text });
    setTimeout(() => this.dismiss(id), shownFor);
  }

  fail(e: unknown): void {
    this.show(e instanceof Error ? e.message : String(e), "bad");
  }

  dismiss(id: number): void {
    this.list = this.list.filter((t) => t.id !== id);
  }
}

export const toasts = new Toasts();

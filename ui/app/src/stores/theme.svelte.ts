// Light, dark, or as the system has it.

export type Theme = "system" | "light" | "dark";
const key = "patchbay.theme";
const order: Theme[] = ["system", "light", "dark"];

class ThemeStore {
  choice = $state<Theme>("system");

  constructor() {
    try {
      const kept = localStorage.getItem(key) as Theme | null;
      if (kept && order.includes(kept)) this.choice = kept;
    } catch {
      // A browser that keeps nothing follows the system.
    }
    this.apply();
  }

  next(): void {
    this.choice = order[(order.indexOf(this.choice) + 1) % order.length] ?? "system";
    this.apply();
    try {
      localStorage.setItem(key, this.choice);
    } catch {
      // See above.
    }
  }

  private apply(): void {
    if (this.choice === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = this.choice;
  }
}

export const theme = new ThemeStore();

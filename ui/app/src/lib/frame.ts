/** Calls f with the next frame. A page that is hidden draws none. */
export function nextFrame(f: () => void): void {
  if (document.hidden) setTimeout(f, 200);
  else requestAnimationFrame(f);
}

/** Returns when the page is drawn as it is now. */
export function drawnNow(): Promise<void> {
  return new Promise((done) => nextFrame(() => setTimeout(done)));
}

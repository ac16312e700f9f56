import { expect, test } from "@playwright/test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { accessible, fits, settled, sizes } from "./checks";
import { cut, lengthen, overlaps, spilled } from "./layout";
import { smaller } from "./picture";
import { Stages, states } from "./states";

// The folder for pictures: with it they are made, without it the states are tested.
const pictures = process.env.PICTURES;
const largest = 120_000; // bytes of a picture
const three = [sizes[0]!, { width: 1024, height: 768 }, sizes[1]!];

const shown = join(import.meta.dirname, "../../../docs/reference/ui-pictures.md");
const name = (state: string, width: number): string => `ui-${state}${width === three[0]!.width ? "" : `-${width}`}.png`;

test("the documentation has each state", () => {
  const rows = states.map((s) => `| ${s.title} | ![${s.title}](../images/${name(s.name, three[0]!.width)}) | ${three.slice(1).map((size) => `[${size.width}](../images/${name(s.name, size.width)})`).join(", ")} |`);
  const page = `# The web UI in pictures\n\nThe states of [the page](../ui.md) that are tested in both themes, at three sizes. \`npm run screenshots\` in \`ui/app\` makes the pictures and this page.\n\n| state | ${three[0]!.width}×${three[0]!.height} | ${three.slice(1).map((s) => `${s.width}×${s.height}`).join(", ")} |\n|---|---|---|\n${rows.join("\n")}\n`;
  if (pictures) writeFileSync(shown, page);
  expect(readFileSync(shown, "utf8")).toBe(page);
});

let stages: Stages;
test.beforeEach(() => {
  stages = new Stages();
});
test.afterEach(() => stages.close());

for (const state of states) {
  test(`${state.name}: ${state.title}`, async ({ page, context }) => {
    for (const size of three) {
      const at = size === three[0] ? page : await context.newPage();
      await at.emulateMedia({ colorScheme: state.theme, reducedMotion: "reduce" });
      await at.setViewportSize(size);
      await state.show(stages.on(at));
      await at.evaluate(() => document.fonts.ready);
      await expect.poll(() => overlaps(at)).toEqual([]);
      await expect.poll(() => cut(at)).toEqual([]);
      await fits(at);
      if (pictures) {
        mkdirSync(pictures, { recursive: true });
        await at.mouse.move(0, 0);
        await settled(at);
        const picture = smaller(await at.screenshot({ caret: "hide", animations: "disabled" }));
        expect(picture.length).toBeLessThanOrEqual(largest);
        writeFileSync(join(pictures, name(state.name, size.width)), picture);
        continue;
      }
      for (const colorScheme of ["light", "dark"] as const) {
        await at.emulateMedia({ colorScheme });
        await test.step(`accessible, ${colorScheme}`, () => accessible(at));
      }
      await at.emulateMedia({ colorScheme: state.theme });
      await test.step("with words that are 40 % longer", async () => {
        await lengthen(at);
        await expect.poll(() => overlaps(at)).toEqual([]);
        await expect.poll(() => cut(at)).toEqual([]);
        await expect.poll(() => spilled(at)).toEqual([]);
        await fits(at);
      });
    }
  });
}

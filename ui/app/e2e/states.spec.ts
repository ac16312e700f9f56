import { expect, test } from "@playwright/test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { accessible, fits, settled, sizes } from "./checks";
import { cut, lengthen, overlaps, spilled } from "./layout";
import { smaller } from "./picture";
import { Stages, states } from "./states";

// The folder for pictures: with it they are made, without it the states are tested.
const pictures = process.env.PICTURES;
const largest = 120_000; // bytes of a picture
const three = [sizes[0]!, { width: 1024, height: 768 }, sizes[1]!];

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
        writeFileSync(join(pictures, `ui-${state.name}${size === three[0] ? "" : `-${size.width}`}.png`), picture);
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

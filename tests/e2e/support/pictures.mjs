// Pictures of the page for the documentation: only with WAFD_SCREENSHOTS=FOLDER, one light and one dark of each.
import fs from 'node:fs';
import path from 'node:path';

export const screenshots = process.env.WAFD_SCREENSHOTS;

export async function pictures(page, name) {
  if (!screenshots) return;
  fs.mkdirSync(screenshots, { recursive: true });
  for (const scheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.evaluate(async () => {
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      await Promise.all(document.getAnimations().filter((a) => a.effect?.getComputedTiming().endTime !== Infinity).map((a) => a.finished.catch(() => undefined)));
    });
    await page.screenshot({ path: path.join(screenshots, `${name}-${scheme}.png`) });
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

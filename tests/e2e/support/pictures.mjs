// Pictures of the page for the documentation: only with WAFD_SCREENSHOTS=FOLDER, one light and one dark of each.
import fs from 'node:fs';
import path from 'node:path';

export const screenshots = process.env.WAFD_SCREENSHOTS;
const quality = 88;

// Waits until animations have ended and everything is drawn.
export async function at_rest(page) {
  await page.evaluate(async () => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const passing = document.getAnimations().filter((a) => a.effect?.getComputedTiming().endTime !== Infinity);
    await Promise.all(passing.map((a) => a.finished.catch(() => undefined)));
  });
}

// The top lists have come, or said that they do not; where neither happens the picture is taken as it is. (Not by
// waitForFunction: the page's policy refuses text as code.)
async function lists_there(page) {
  const waiting = () => [...document.querySelectorAll('.facet-empty')].some((one) => one.textContent.trim() === '');
  for (let tries = 0; tries < 40 && (await page.evaluate(waiting)); ++tries) await new Promise((done) => setTimeout(done, 50));
}

// The page as it stands, in the colours it has: NAME-SCHEME.webp.
export async function picture(page, name, scheme) {
  if (!screenshots) return;
  fs.mkdirSync(screenshots, { recursive: true });
  await page.mouse.move(1, 1);  // nothing is pointed at
  await lists_there(page);
  await at_rest(page);
  const cdp = await page.context().newCDPSession(page);
  const { data } = await cdp.send('Page.captureScreenshot', { format: 'webp', quality });
  await cdp.detach();
  fs.writeFileSync(path.join(screenshots, `${name}-${scheme}.webp`), Buffer.from(data, 'base64'));
}

// Light and dark.
export async function pictures(page, name) {
  if (!screenshots) return;
  for (const scheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme: scheme });
    await picture(page, name, scheme);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

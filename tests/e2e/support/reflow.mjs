// Faults that no view may have at any width (WCAG 2.2, 1.4.10). Widths and heights in CSS px; 320 × 256 is 400 % zoom of 1280 × 1024.
export const sizes = [[320, 800], [320, 256], [390, 844], [720, 900], [916, 800], [1024, 800], [1440, 900]];

// Elements that cannot be reached: beyond the window's sides, or cut by a box that does not scroll.
export const unreachable = (page) => page.evaluate(() => {
  const found = [];
  const wide = Math.max(document.documentElement.scrollWidth, document.body.scrollWidth);
  if (wide > innerWidth) found.push(`the page is ${wide} px wide`);
  const sheet = document.querySelector('dialog[open]') ?? (innerWidth < 1024 ? document.querySelector('.detail') : null) ?? document.body;
  for (const control of sheet.querySelectorAll('button, input, select, textarea, a, summary')) {
    const at = control.getBoundingClientRect();
    if (at.width === 0 || control.closest('.skip, .unseen, .closed, [hidden]')) continue;
    const name = `${control.tagName} ${control.dataset.testid ?? control.getAttribute('aria-label') ?? control.textContent.slice(0, 30)}`;
    if (at.left < -0.5 || at.right > innerWidth + 0.5) found.push(`${name}: ${Math.round(at.left)} to ${Math.round(at.right)}`);
    for (let box = control.parentElement; box && box !== document.body; box = box.parentElement) {
      const style = getComputedStyle(box);
      const edge = box.getBoundingClientRect();
      if (/hidden|clip/.test(style.overflowX) && (at.left > edge.right - 2 || at.right < edge.left + 2)) found.push(`${name}: cut by ${box.className}`);
      if (/hidden|clip/.test(style.overflowY) && !box.closest('.vlist') && (at.top > edge.bottom - 2 || at.bottom < edge.top + 2)) found.push(`${name}: cut below by ${box.className}`);
      if (style.position === 'fixed' || /auto|scroll/.test(style.overflowX)) {
        if (/auto|scroll/.test(style.overflowX) && box.scrollWidth > box.clientWidth + 1 && !box.matches('.raw, textarea, .field-value')) found.push(`${box.className} scrolls sideways: ${box.scrollWidth} in ${box.clientWidth}`);
        break;
      }
    }
  }
  return [...new Set(found)].slice(0, 12);
});

// Words that are always the same are whole and in one piece.
export const cut_words = (page) => page.evaluate(() => [...document.querySelectorAll('.dot, .action, .risk, .segments button, .button > span, .table th')]
  .filter((one) => one.getBoundingClientRect().width > 1 && !one.closest('.unseen, .row-head'))
  .filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline' || one.closest('td') && one.getBoundingClientRect().right > one.closest('td').getBoundingClientRect().right + 1)
  .map((one) => `cut: ${one.textContent.slice(0, 40)}`).slice(0, 6));

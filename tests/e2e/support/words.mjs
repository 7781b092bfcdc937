// Words that a line's end tears in two, and texts that their cell's side cuts, in any cell of any table of the page: `view: word (in its cell)`.
// A word is letters, perhaps with digits, without anything between them; what is longer than 16 is a digest or a payload and may end anywhere.
export const broken_words = (page) => page.evaluate(() => {
  const found = [];
  const range = document.createRange();
  const lines = () => new Set([...range.getClientRects()].filter((r) => r.width > 0).map((r) => Math.round(r.top))).size;
  let looked_at = 0;
  for (const cell of document.querySelectorAll('td, th')) {
    for (const text of cell.querySelectorAll('.hostile'))
      if (getComputedStyle(text).display !== 'inline' && text.checkVisibility() && text.scrollWidth > text.clientWidth) found.push(`cut: ${text.textContent.slice(0, 60)}`);
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      if (node.parentElement.closest('td, th') !== cell || !node.parentElement.checkVisibility()) continue;
      range.selectNodeContents(node);
      ++looked_at;
      if (lines() < 2) continue;
      for (const { 0: word, index } of node.data.matchAll(/[\p{L}\p{N}]+/gu)) {
        if (word.length > 16 || !/\p{L}/u.test(word) || /\p{Script=Han}/u.test(word)) continue;
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        if (lines() > 1) found.push(`${word} (${cell.textContent.slice(0, 60)})`);
      }
    }
  }
  return { looked_at, found: [...new Set(found)].slice(0, 8) };
});

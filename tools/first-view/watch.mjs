/* global document, window, MutationObserver, PerformanceObserver */
// Runs in a page of the explorer before its scripts, and notes when products are shown.

/** Resolves with `use(element)` when the document has an element that matches a selector. */
const whenFound = (selector, use) =>
  new Promise((resolve) => {
    new MutationObserver((_changes, observer) => {
      const element = document.querySelector(selector);
      if (element === null) return;
      observer.disconnect();
      use(element, resolve);
    }).observe(document, { childList: true, subtree: true });
  });

const firstEntry = (type, use) =>
  new PerformanceObserver((list) => use(list.getEntries()[0].startTime)).observe({ type, buffered: true });

// The name of the first product is marked, so that the browser reports when it is painted.
const shown = whenFound('.card h2', (name, resolve) => {
  name.setAttribute('elementtiming', 'product');
  const inDocument = performance.now();
  firstEntry('element', (painted) => resolve({ inDocument, painted }));
});
const filtered = whenFound('.place-brand li', (_element, resolve) => resolve(performance.now()));
const firstPaint = new Promise((resolve) => firstEntry('paint', resolve));

window.readLoad = async () => {
  const { inDocument, painted } = await shown;
  const search = performance.getEntriesByType('resource').find(({ name }) => name.includes('/v1/search?'));
  return {
    'first paint': await firstPaint,
    'search sent': search.requestStart,
    'search answered': search.responseEnd,
    'in the document': inDocument,
    painted,
    'filters shown': await filtered,
    'search took': search.responseEnd - search.requestStart,
  };
};

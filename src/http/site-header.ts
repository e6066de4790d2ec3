export const NAME = 'Product catalogue';

/** The views that the header of every page leads to, besides the home. */
export const LINKS: readonly [path: string, label: string][] = [
  ['/explore/deals', 'Deals'],
  ['/explore/categories', 'Categories'],
  ['/explore/sources', 'Shops'],
  ['/explore/watched', 'Watched'],
  ['/review', 'Review desk'],
  ['/docs', 'API'],
];

/** The header of pages that the explorer does not render, with the style `/docs/header.css`. `path`: the path of the page. */
export function siteHeader({ path, hasExplorer }: { path: string; hasExplorer: boolean }): string {
  const links = LINKS.filter(([to]) => hasExplorer || to === '/docs').map(
    ([to, label]) => `<a href="${to}"${to === path ? ' aria-current="page"' : ''}>${label}</a>`,
  );
  return `<header class="top">
<a class="home" href="/"><img src="/docs/icon.svg" alt="" width="28" height="28"> ${NAME}</a>
<nav aria-label="Views">${links.join('\n')}</nav>
</header>`;
}

import { type ComponentChildren, render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { onKeyNeeded } from './api.js';
import { KeyDialog } from './components.js';
import { followLinks, useLocation } from './router.js';
import './styles.css';
import { CategoriesView } from './views/categories.js';
import { DealsView } from './views/deals.js';
import { ProductView } from './views/product.js';
import { DecisionsView } from './views/decisions.js';
import { ReviewView } from './views/review.js';
import { SearchView } from './views/search.js';
import { SourcesView } from './views/sources.js';

const VIEWS: [path: string, label: string][] = [
  ['/explore', 'Search'],
  ['/explore/deals', 'Deals'],
  ['/explore/categories', 'Prices'],
  ['/explore/sources', 'Sources'],
];

function App() {
  const { path, query } = useLocation();
  const [isAsking, setAsking] = useState(false);
  const [keyVersion, setKeyVersion] = useState(0);
  useEffect(() => onKeyNeeded(() => setAsking(true)), []);
  return (
    <div onClick={followLinks}>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header class="top">
        <a class="home" href="/explore">
          <img src="/explore/icon.svg" alt="" width="28" height="28" />
          Catalogue
        </a>
        <nav aria-label="Views">
          {VIEWS.map(([to, label]) => (
            <a key={to} href={to} aria-current={path === to ? 'page' : undefined}>
              {label}
            </a>
          ))}
          <a href="/review" aria-current={path.startsWith('/review') ? 'page' : undefined}>
            Review
          </a>
          <a href="/docs">API</a>
        </nav>
        <button type="button" class="quiet key" onClick={() => setAsking(true)}>
          Key
        </button>
      </header>
      <main id="content" tabIndex={-1} key={keyVersion}>
        <View path={path} query={query} />
      </main>
      <KeyDialog
        isOpen={isAsking}
        close={(hasChanged) => {
          setAsking(false);
          if (hasChanged) setKeyVersion(keyVersion + 1);
        }}
      />
    </div>
  );
}

function View({ path, query }: { path: string; query: URLSearchParams }): ComponentChildren {
  if (path === '/explore') return <SearchView />;
  const [, product] = /^\/explore\/products\/([^/]+)$/.exec(path) ?? [];
  if (product !== undefined) return <ProductView id={product} query={query} />;
  if (path === '/explore/deals') return <DealsView query={query} />;
  if (path === '/explore/categories') return <CategoriesView query={query} />;
  if (path === '/explore/sources') return <SourcesView />;
  if (path === '/review') return <ReviewView query={query} />;
  if (path === '/review/decisions') return <DecisionsView query={query} />;
  return <h1>There is no such view</h1>;
}

const root = document.getElementById('app');
if (root !== null) render(<App />, root);

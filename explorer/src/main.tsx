import { type ComponentType, render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiFailure, forgetRequests, onKeyNeeded } from './api.js';
import { Failure, KeyDialog, Loading, RequestDrawer } from './components.js';
import { followLinks, useLocation } from './router.js';
import './styles.css';
import { HomeView } from './views/home.js';
import { isSearch } from './views/search-url.js';
import { SearchView } from './views/search.js';
import { LINKS, NAME } from '../../src/http/site-header.js';

type View = ComponentType<{ id: string; query: URLSearchParams }>;

/** The views that are loaded when they are first shown. A path may capture the id of a product. */
const LAZY_VIEWS: [path: RegExp, load: () => Promise<View>][] = [
  [/^\/explore\/products\/([^/]+)$/, () => import('./views/product.js').then((file) => file.ProductView)],
  [/^\/explore\/deals$/, () => import('./views/deals.js').then((file) => file.DealsView)],
  [/^\/explore\/categories$/, () => import('./views/categories.js').then((file) => file.CategoriesView)],
  [/^\/explore\/sources$/, () => import('./views/sources.js').then((file) => file.SourcesView)],
  [/^\/explore\/watched$/, () => import('./views/watch.js').then((file) => file.WatchedView)],
  [/^\/review$/, () => import('./views/review.js').then((file) => file.ReviewView)],
  [/^\/review\/decisions$/, () => import('./views/decisions.js').then((file) => file.DecisionsView)],
];

/** Goes to the search box when somebody presses `/` outside of fields. */
function searchOnSlash(event: KeyboardEvent): void {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
  if ((event.target as Element).closest('input, select, textarea, dialog[open]') !== null) return;
  const box = document.querySelector<HTMLInputElement>('[role="combobox"]');
  if (box === null) return;
  event.preventDefault();
  box.focus();
}

function App() {
  const { path, query } = useLocation();
  const shown = useRef(path);
  if (shown.current !== path) forgetRequests();
  shown.current = path;
  const [asking, setAsking] = useState<'refused' | 'wanted' | null>(null);
  /** Changes if the view must send its requests again: with another key, or because one has failed. */
  const [attempt, setAttempt] = useState(0);
  useEffect(() => onKeyNeeded(() => setAsking('refused')), []);
  useEffect(() => {
    const again = () => setAttempt((before) => before + 1);
    addEventListener('viewretry', again);
    addEventListener('keydown', searchOnSlash);
    return () => {
      removeEventListener('viewretry', again);
      removeEventListener('keydown', searchOnSlash);
    };
  }, []);
  return (
    <div onClick={followLinks}>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header class="top">
        <a class="home" href="/explore">
          <img src="/explore/icon.svg" alt="" width="28" height="28" />
          {NAME}
        </a>
        <nav aria-label="Views">
          {LINKS.map(([to, label]) => (
            <a key={to} href={to} aria-current={path.startsWith(to) ? 'page' : undefined}>
              {label}
            </a>
          ))}
        </nav>
        <RequestDrawer />
        <button type="button" class="quiet key" onClick={() => setAsking('wanted')}>
          API key
        </button>
      </header>
      <main id="content" tabIndex={-1} key={attempt}>
        <CurrentView path={path} query={query} />
      </main>
      <KeyDialog
        isOpen={asking !== null}
        isRefused={asking === 'refused'}
        close={(hasChanged) => {
          setAsking(null);
          if (hasChanged) setAttempt(attempt + 1);
        }}
      />
    </div>
  );
}

function CurrentView({ path, query }: { path: string; query: URLSearchParams }) {
  if (path === '/explore') return isSearch() ? <SearchView /> : <HomeView />;
  for (const [pattern, load] of LAZY_VIEWS) {
    const match = pattern.exec(path);
    if (match !== null)
      return <LazyView key={pattern.source} load={load} id={match[1] ?? ''} query={query} />;
  }
  return <h1>There is no such view</h1>;
}

function LazyView({ load, id, query }: { load(): Promise<View>; id: string; query: URLSearchParams }) {
  const [Loaded, setLoaded] = useState<View | null>(null);
  const [failure, setFailure] = useState<Error | null>(null);
  const show = () => load().then((view) => setLoaded(() => view));
  useEffect(() => void show().catch(setFailure), []);
  if (failure !== null && Loaded === null) {
    const why = navigator.onLine ? 'the catalogue cannot be reached, or was updated' : 'you are offline';
    const retry = () =>
      // The files of another version of the explorer are gone, so the page is loaded again if the service answers.
      void show().catch(() => fetch(location.href).then(({ ok }) => ok && location.reload(), setFailure));
    return <Failure error={new ApiFailure(0, `This view cannot be loaded: ${why}.`)} retry={retry} />;
  }
  return Loaded === null ? <Loading what="the view" lines={12} /> : <Loaded id={id} query={query} />;
}

const root = document.getElementById('app');
if (root !== null) render(<App />, root);

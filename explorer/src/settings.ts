/** What the service tells the explorer about itself. */
interface Settings {
  /** The URL of the pictures that the service serves itself. */
  public_url: string;
  /** An API key that everybody may use, which only the demo has. */
  key: string | null;
}

const KEPT = 'catalogue-key';

/** The settings, which the service writes into the page. The view of prices in conversations has none. */
export const settings: Settings = JSON.parse(
  document.querySelector<HTMLMetaElement>('meta[name="settings"]')?.content ??
    JSON.stringify({ public_url: location.origin, key: null }),
) as Settings;

/** The key with which requests are sent: the one that was pasted in this tab, otherwise that of the demo. */
export const currentKey = (): string | null => sessionStorage.getItem(KEPT) ?? settings.key;

export const isDemoKey = (): boolean => settings.key !== null && currentKey() === settings.key;

/** Keeps a key for this tab; null forgets it. */
export function keepKey(key: string | null): void {
  if (key === null) sessionStorage.removeItem(KEPT);
  else sessionStorage.setItem(KEPT, key);
}

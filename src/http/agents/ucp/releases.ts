/** The releases of the Universal Commerce Protocol that the service implements, the newest first. */
export const RELEASES = ['2026-08-25', '2026-04-08'] as const;

export type Release = (typeof RELEASES)[number];

export const CURRENT: Release = RELEASES[0];

export const SEARCH = 'dev.ucp.shopping.catalog.search';
export const LOOKUP = 'dev.ucp.shopping.catalog.lookup';

export type Capability = typeof SEARCH | typeof LOOKUP;

/** The path below which a release is served. Each earlier release has its own path, because requests do not state a release. */
export const basePath = (release: Release): string => (release === CURRENT ? '/ucp' : `/ucp/${release}`);

export const profilePath = (release: Release): string =>
  `/.well-known/ucp${release === CURRENT ? '' : `/${release}`}`;

const SPECIFICATION: Record<Release, string> = {
  '2026-08-25': 'specification/shopping/catalog',
  '2026-04-08': 'specification/catalog',
};

/** The profile at `/.well-known/ucp`. There are no payment handlers, because the shops sell, not the catalogue. */
export function profileOf(release: Release, publicUrl: string): object {
  const site = `https://ucp.dev/${release}`;
  const service = (transport: 'rest' | 'mcp', path: string, schema: string) => ({
    version: release,
    spec: `${site}/specification/overview`,
    transport,
    endpoint: `${publicUrl}${basePath(release)}/${path}`,
    schema: `${site}/services/shopping/${schema}`,
  });
  const capability = (name: string) => [
    {
      version: release,
      spec: `${site}/${SPECIFICATION[release]}/${name}`,
      schema: `${site}/schemas/shopping/catalog_${name}.json`,
    },
  ];
  const earlier = RELEASES.filter((one) => one < release);
  return {
    ucp: {
      version: release,
      ...(earlier.length === 0
        ? {}
        : {
            supported_versions: Object.fromEntries(earlier.map((one) => [one, publicUrl + profilePath(one)])),
          }),
      services: {
        'dev.ucp.shopping': [
          service('rest', 'v1', 'rest.openapi.json'),
          service('mcp', 'mcp', 'mcp.openrpc.json'),
        ],
      },
      capabilities: { [SEARCH]: capability('search'), [LOOKUP]: capability('lookup') },
      payment_handlers: {},
    },
  };
}

export const envelope = (release: Release, capability: Capability) => ({
  version: release,
  capabilities: { [capability]: [{ version: release }] },
});

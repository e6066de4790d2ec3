/** The revision of MCP Apps (SEP-1865) of the messages. */
const PROTOCOL_VERSION = '2026-01-26';

/** The result of a tool. The structured content is what the tool declares, but comes from a window of another origin. */
export interface ToolResult {
  isError?: boolean;
  content?: { type: string; text?: string }[];
  structuredContent?: Record<string, unknown>;
}

/** What the host tells about itself and about the place in which it shows the view. */
interface HostContext {
  theme?: string;
  styles?: { variables?: Record<string, unknown> };
}

interface Initialized {
  hostCapabilities?: { serverTools?: object; openLinks?: object };
  hostContext?: HostContext;
}

interface Message {
  jsonrpc?: string;
  id?: number | string;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { code?: number; message?: string };
}

/** The application in whose conversation the view is shown. */
export interface Host {
  /** Calls a tool of this server; null if the host does not allow it. */
  callTool: ((name: string, args: Record<string, unknown>) => Promise<ToolResult>) | null;
  /** Asks the host to open an address; null if the host opens none. */
  openLink: ((url: string) => void) | null;
}

/** What the view is told. The arguments of the call come before its result. */
export interface Listeners {
  onArguments(args: Record<string, unknown>): void;
  onResult(result: ToolResult): void;
  onCancelled(): void;
  /** The colours have changed. */
  onTheme(): void;
}

/** Connects to the host, and returns what it allows. All messages are JSON-RPC between this window and its parent. */
export async function connectHost(listeners: Listeners): Promise<Host> {
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  let requests = 0;

  // The origin of the host is unknown, and no message contains a secret.
  const send = (message: Message) => window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  const request = <Result>(method: string, params: Record<string, unknown>): Promise<Result> =>
    new Promise((resolve, reject) => {
      requests += 1;
      waiting.set(requests, { resolve: resolve as (result: unknown) => void, reject });
      send({ id: requests, method, params });
    });

  const notified: Record<string, (params: Record<string, unknown>) => void> = {
    'ui/notifications/tool-input': ({ arguments: args }) =>
      listeners.onArguments((args ?? {}) as Record<string, unknown>),
    'ui/notifications/tool-result': (params) => listeners.onResult(params as ToolResult),
    'ui/notifications/tool-cancelled': () => listeners.onCancelled(),
    'ui/notifications/host-context-changed': (params) => {
      applyTheme(params);
      listeners.onTheme();
    },
  };

  window.addEventListener('message', ({ source, data }: MessageEvent<Message | null>) => {
    if (source !== window.parent || data?.jsonrpc !== '2.0') return;
    const { id, method, params = {}, result, error } = data;
    if (method === undefined) {
      const sender = waiting.get(Number(id));
      waiting.delete(Number(id));
      if (error === undefined) sender?.resolve(result);
      else sender?.reject(new Error(error.message ?? 'The host refused the request'));
    } else if (id === undefined) {
      if (Object.hasOwn(notified, method)) notified[method]?.(params);
    } else if (method === 'ping' || method === 'ui/resource-teardown') {
      send({ id, result: {} });
    } else {
      send({ id, error: { code: -32_601, message: 'Method not found' } });
    }
  });

  const { hostCapabilities = {}, hostContext = {} } = await request<Initialized>('ui/initialize', {
    appInfo: { name: 'prices', version: '1.0.0' },
    appCapabilities: { availableDisplayModes: ['inline'] },
    protocolVersion: PROTOCOL_VERSION,
  });
  applyTheme(hostContext);
  send({ method: 'ui/notifications/initialized', params: {} });
  reportSize((size) => send({ method: 'ui/notifications/size-changed', params: size }));
  return {
    callTool:
      hostCapabilities.serverTools === undefined
        ? null
        : (name, args) => request('tools/call', { name, arguments: args }),
    openLink:
      hostCapabilities.openLinks === undefined
        ? null
        : (url) => void request('ui/open-link', { url }).catch(() => undefined),
  };
}

/** Applies the colours of the host; `prices.css` has defaults for those that it does not give. */
function applyTheme({ theme, styles }: HostContext): void {
  const { style } = document.documentElement;
  if (theme === 'light' || theme === 'dark') style.colorScheme = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {}))
    if (name.startsWith('--') && typeof value === 'string') style.setProperty(name, value);
}

/** Reports the size of the page when it changes, so that the host makes room for it. */
function reportSize(report: (size: { width: number; height: number }) => void): void {
  let last = 0;
  new ResizeObserver(() => {
    const { width, height } = document.documentElement.getBoundingClientRect();
    const now = Math.ceil(height);
    if (now !== last) report({ width: Math.ceil(width), height: now });
    last = now;
  }).observe(document.documentElement);
}

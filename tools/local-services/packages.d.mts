export interface Lockfile {
  packages: Record<string, { version?: string; optional?: boolean }>;
}
export function areCurrent(wanted: Lockfile, installed: Lockfile | undefined): boolean;
export function ensurePackages(root: string, log: (line: string) => void): Promise<void>;

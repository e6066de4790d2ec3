export interface ProcessIdentity {
  pid: number;
  birth: string;
}
export function identify(pid?: number): ProcessIdentity;
export function isRunning(identity: ProcessIdentity): boolean;

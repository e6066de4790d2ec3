import { main as doctor } from '../../scripts/doctor.js';
import type { Finding } from '../../scripts/diagnosis/finding.js';
import { run } from './command.js';

/** Returns what a check of `npm run doctor` finds first. */
export async function found(check: string, env: NodeJS.ProcessEnv): Promise<Finding> {
  const { out, err } = await run(doctor, ['--json'], { env });
  const { findings } = JSON.parse(out) as { findings: (Finding & { check: string })[] };
  const finding = findings.find((one) => one.check === check);
  if (finding === undefined) throw new Error(`${check}: ${out}${err}`);
  return finding;
}

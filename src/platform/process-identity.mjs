import { readFileSync } from 'node:fs';

/**
 * The start time of a process as the kernel counts it, with the id of the boot; '' if it is not available (not Linux). A
 * process id alone is not unique: it is reused, and after a restart of a container often at once.
 */
function birthOf(pid) {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field of the file is the process name in parentheses, which may contain spaces. Therefore
    // the fields are counted from its end; the start time is field 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie is a process that has ended, but stays in the table of processes until its parent collects it.
    // It must be recognized, because in many containers nothing collects it.
    return fields[0] === 'Z' ? 'ended' : `${boot}:${fields[19]}`;
  } catch {
    return '';
  }
}

/** Identifies a process, so that `isRunning` recognizes it later. */
export function identify(pid = process.pid) {
  return { pid, birth: birthOf(pid) };
}

/** Whether the process that `identify` described still runs. */
export function isRunning({ pid, birth }) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code !== 'EPERM') return false;
  }
  return birth === birthOf(pid);
}

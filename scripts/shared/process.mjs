import { readFileSync } from 'node:fs';

/**
 * When a process was started, as the kernel counts it, with the boot it belongs to; '' where that is not to be
 * had (not Linux). A process id alone is used again, after a restart of a container most often at once.
 */
function birthOf(pid) {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the name in brackets, which may hold spaces; the start time is field 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended; where nobody collects it, as in many containers, it stays in the table.
    return fields[0] === 'Z' ? 'ended' : `${boot}:${fields[19]}`;
  } catch {
    return '';
  }
}

/** `{pid, birth}` of a process, this one by default: enough to tell later whether that very process still runs. */
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

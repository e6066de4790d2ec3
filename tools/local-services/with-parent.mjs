/** Preloaded with `node --import`: ends the process when its parent, which holds the IPC channel, ends. */
const end = () => process.kill(process.pid, 'SIGTERM');
process.on('disconnect', end);
// Mocha's worker processes have the same arguments, and the channel must keep them running.
if (process.env.MOCHA_WORKER_ID === undefined) process.channel?.unref();
// `connected` is false, and not undefined, if the parent ended before this file was loaded.
if (process.connected === false) end();

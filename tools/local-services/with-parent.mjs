/** Preloaded with `node --import`: ends the process when its parent, which holds the IPC channel, ends. */
const end = () => process.kill(process.pid, 'SIGTERM');
process.on('disconnect', end);
// The IPC channel does not keep a test program running. It must keep Mocha's worker processes running, which
// also load this file, because they have the same Node.js arguments.
if (process.env.MOCHA_WORKER_ID === undefined) process.channel?.unref();
// If the parent ended before this file was loaded, `process.connected` is false. Without an IPC channel, it
// is undefined.
if (process.connected === false) end();

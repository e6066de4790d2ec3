/** Preloaded with `node --import`: ends the process when its parent, which holds the IPC channel, ends. */
const end = () => process.kill(process.pid, 'SIGTERM');
process.on('disconnect', end);
// The IPC channel must keep Mocha's workers running, which have the same arguments, but no test program.
if (process.env.MOCHA_WORKER_ID === undefined) process.channel?.unref();
// False: the parent ended before this file was loaded. Undefined: there is no IPC channel.
if (process.connected === false) end();

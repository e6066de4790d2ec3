/**
 * `node --import ./tools/services/with-parent.mjs …`, spawned with an 'ipc' channel: ends that process when its
 * parent is gone, however it went. Without a channel it does nothing.
 */
const end = () => process.kill(process.pid, 'SIGTERM');
process.on('disconnect', end);
// What this process starts with the same arguments, as Mocha does its workers, hears of its work by the channel.
if (process.env.MOCHA_WORKER_ID === undefined) process.channel?.unref();
// False, not undefined: the parent was gone before this file was loaded.
if (process.connected === false) end();

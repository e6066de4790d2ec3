/**
 * `node --import ./tools/services/with-parent.mjs …`, spawned with an 'ipc' channel: ends that process when its
 * parent is gone, however it went. Without a channel it does nothing.
 */
const end = () => process.kill(process.pid, 'SIGTERM');
process.on('disconnect', end);
process.channel?.unref();
// False, not undefined: the parent was gone before this file was loaded.
if (process.connected === false) end();

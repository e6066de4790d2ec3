/**
 * `node --import ./tools/local-services/with-parent.mjs …`, started with an 'ipc' channel: ends the process when
 * its parent has ended in any way. Without a channel, it does nothing.
 */
const end = () => process.kill(process.pid, 'SIGTERM');
process.on('disconnect', end);
// The worker processes of Mocha have the same arguments and receive their work by the channel, so the
// channel must keep them running.
if (process.env.MOCHA_WORKER_ID === undefined) process.channel?.unref();
// `connected` is false, and not undefined, if the parent ended before this file was loaded.
if (process.connected === false) end();

/**
 * `node --import ./scripts/services/with-parent.mjs …`, spawned with an 'ipc' channel: ends that process when its
 * parent is gone, however it went. Without a channel it does nothing.
 */
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();

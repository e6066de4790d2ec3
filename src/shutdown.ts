import { Server } from 'node:net';
import type { Server as HttpServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Health } from './telemetry/health.js';

/** The time limits in ms of a shutdown, of its requests in progress, and of writing the last events. */
const STOP_MS = 9_500;
const REQUESTS_MS = 8_000;
const EVENTS_MS = 1_500;

/** How long, in ms, a connection without a request stays open while a process ends: one may just be arriving on it. */
const IDLE_MS = 10_000;

interface Parts {
  health: Health;
  /** Ends what waits for the engine or for changes: before the last requests are finished. */
  stopWaiting(): void;
  /** Closes everything else, after the last response. Events are written for at most `eventsMs` before. */
  close(eventsMs: number): Promise<void>;
}

/** Ends a service gracefully: its listener first, then its requests, then its connections to other services. */
export class Shutdown {
  private readonly serverClosed: Promise<void>;
  private isDraining = false;
  private closing: Promise<void> | null = null;

  constructor(
    private readonly server: HttpServer,
    private readonly parts: Parts,
  ) {
    this.serverClosed = new Promise((resolve) => server.once('close', resolve));
    // A keep-alive connection would outlive the listener, so the client is asked to close it.
    server.prependListener('request', (_request, response) => {
      if (parts.health.shuttingDown || this.isDraining) response.setHeader('Connection', 'close');
    });
  }

  /**
   * Stops listening and waits, for at most `withinMs`, until every connection has received its last response. The process stays
   * ready, because another one serves the same port.
   */
  async drain(withinMs: number): Promise<void> {
    const { server, parts } = this;
    this.isDraining = true;
    parts.stopWaiting();
    // This method of the base class, unlike `close` of an HTTP server, leaves idle connections open.
    Server.prototype.close.call(server);
    const timers = [
      setTimeout(() => server.closeIdleConnections(), IDLE_MS),
      setTimeout(() => server.closeAllConnections(), withinMs),
    ];
    await this.serverClosed;
    timers.forEach(clearTimeout);
    await this.closeParts(EVENTS_MS);
  }

  /** Reports not ready, accepts requests for `delayMs`, finishes those in progress and closes all sockets, within ten seconds. */
  async stop(delayMs: number): Promise<void> {
    const { server, parts } = this;
    const deadline = performance.now() + STOP_MS;
    const remainingMs = () => Math.max(0, deadline - performance.now());
    parts.health.shuttingDown = true;
    await sleep(delayMs);
    parts.stopWaiting();
    server.close();
    server.closeIdleConnections();
    const requestsMs = Math.min(REQUESTS_MS, Math.max(0, remainingMs() - EVENTS_MS));
    const timer = setTimeout(() => server.closeAllConnections(), requestsMs);
    await this.serverClosed;
    clearTimeout(timer);
    await this.closeParts(Math.min(EVENTS_MS, remainingMs()));
  }

  private closeParts(eventsMs: number): Promise<void> {
    return (this.closing ??= this.parts.close(eventsMs));
  }
}

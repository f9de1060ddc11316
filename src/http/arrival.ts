import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { limits } from '../../contract/limits.ts';

/** Limits of the time in which a request arrives, in milliseconds and bytes. */
export interface ArrivalBounds {
  readonly requestMilliseconds: number;
  readonly periodMilliseconds: number;
  /** Bytes that must arrive in each period of a long body. */
  readonly bytesPerPeriod: number;
}

const standardBounds: ArrivalBounds = {
  requestMilliseconds: limits.requestSeconds.default * 1000,
  periodMilliseconds: limits.streamIdleSeconds.default * 1000,
  bytesPerPeriod: limits.uploadBytesPerPeriod.default,
};

/**
 * Time for which the rest of a refused body is read and ignored. Browsers read the response only after they have sent
 * the body, and closing the connection at once could lose it.
 */
const IGNORED_MILLISECONDS = 10_000;

/** How often the arriving bodies are checked. */
const SWEEP_MILLISECONDS = 1000;

/** The arrival of one body. */
export interface Arrival {
  /** Lets the body arrive for any time, as long as enough bytes arrive in each period. */
  allowLong(): void;
}

interface Arriving {
  readonly socket: Socket;
  readonly startedAt: number;
  isLong: boolean;
  /** Time at which the response was complete; null before. */
  answeredAt: number | null;
  periodAt: number;
  bytesBeforePeriod: number;
}

/**
 * Bounds the time in which bodies arrive. Node.js has one time limit for all requests, so a long upload would need the
 * same limit as every other request; therefore this class replaces that limit.
 */
export class Arrivals {
  readonly #bounds: ArrivalBounds;
  readonly #arriving = new Set<Arriving>();

  constructor(bounds: ArrivalBounds = standardBounds) {
    this.#bounds = bounds;
  }

  /**
   * Checks the requests of the server until it closes. A late request causes the event `clientError` with the code that
   * Node.js uses.
   */
  watch(server: Server): void {
    const timer = setInterval(() => {
      for (const socket of this.#late(performance.now())) {
        server.emit('clientError', Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
      }
    }, SWEEP_MILLISECONDS).unref();
    server.once('close', () => clearInterval(timer));
  }

  /** Checks a request until its body has arrived. */
  begin(request: IncomingMessage, response: ServerResponse): Arrival {
    const now = performance.now();
    const { socket } = request;
    const arriving: Arriving = {
      socket,
      startedAt: now,
      isLong: false,
      answeredAt: null,
      periodAt: now,
      bytesBeforePeriod: socket.bytesRead,
    };
    this.#arriving.add(arriving);
    response.once('finish', () => {
      arriving.answeredAt = performance.now();
    });
    const end = () => this.#arriving.delete(arriving);
    request.once('end', end).once('close', end);
    return {
      allowLong: () => {
        arriving.isLong = true;
      },
    };
  }

  #late(now: number): Socket[] {
    const { requestMilliseconds, periodMilliseconds, bytesPerPeriod } = this.#bounds;
    const late: Socket[] = [];
    for (const each of this.#arriving) {
      if (each.answeredAt !== null) {
        if (now - each.answeredAt >= IGNORED_MILLISECONDS) each.socket.destroy();
        continue;
      }
      if (!each.isLong) {
        if (now - each.startedAt >= requestMilliseconds) late.push(each.socket);
        continue;
      }
      if (now - each.periodAt < periodMilliseconds) continue;
      // A paused socket waits for the node and not for the client.
      if (each.socket.bytesRead - each.bytesBeforePeriod < bytesPerPeriod && !each.socket.isPaused()) {
        late.push(each.socket);
      }
      each.periodAt = now;
      each.bytesBeforePeriod = each.socket.bytesRead;
    }
    return late;
  }
}

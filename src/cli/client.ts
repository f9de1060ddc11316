import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiError } from '../../contract/admin.ts';
import { readConfig, readOperatorToken } from '../compose/configuration.ts';

/** An error with a message for the user of the command line. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly code: string | null;
  readonly details: unknown;
  /** Exit code of the process. */
  readonly exitCode: number;

  constructor(message: string, code: string | null = null, details: unknown = null, exitCode = 1) {
    super(message);
    this.code = code;
    this.details = details;
    this.exitCode = exitCode;
  }
}

/** A client of the management API. All methods throw CliError if the request fails. */
export interface Client {
  get<T>(path: string): Promise<T>;
  /** Returns the response as text, for exports. */
  text(path: string): Promise<string>;
  post<T>(path: string, body: unknown): Promise<T>;
  /** Sends a Uint8Array unchanged, any other body as JSON. */
  put(path: string, body: unknown): Promise<void>;
  patch(path: string, body: unknown): Promise<void>;
  delete(path: string, body?: unknown): Promise<void>;
  /** Sends any request. A stream is sent as it is read. */
  send(method: string, path: string, options?: SendOptions): Promise<Response>;
}

interface SendOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: ReadableStream<Uint8Array> | Uint8Array | string;
}

/**
 * Connects to the management API of the running node with the operator token in its home.
 * @throws CliError if no node runs.
 */
export function connect(): Client {
  const config = readConfig();
  const token = readOperatorToken(config);
  const url = config.publicUrl ?? runningUrl(config.home);
  if (!token || !url) {
    throw new CliError(`No node runs on ${config.home}. Start one with: npm start`);
  }
  const send: Client['send'] = async (method, path, { headers, body } = {}) => {
    let response: Response;
    try {
      response = await fetch(`${url}/admin/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...headers },
        ...(body !== undefined && { body }),
        ...(body instanceof ReadableStream && { duplex: 'half' }),
      });
    } catch {
      throw new CliError(`The node at ${url} does not answer. Start it with: npm start`);
    }
    if (!response.ok) throw await failure(response);
    return response;
  };
  const call = (method: string, path: string, body?: unknown): Promise<Response> => {
    if (body === undefined) return send(method, path);
    const isBytes = body instanceof Uint8Array;
    return send(method, path, {
      headers: { 'content-type': isBytes ? 'application/octet-stream' : 'application/json' },
      body: isBytes ? body : JSON.stringify(body),
    });
  };
  return {
    send,
    get: async <T>(path: string) => (await call('GET', path)).json() as Promise<T>,
    text: async (path) => (await call('GET', path)).text(),
    post: async <T>(path: string, body: unknown) => {
      const response = await call('POST', path, body);
      return (response.status === 204 ? undefined : await response.json()) as T;
    },
    put: async (path, body) => {
      await call('PUT', path, body);
    },
    patch: async (path, body) => {
      await call('PATCH', path, body);
    },
    delete: async (path, body) => {
      await call('DELETE', path, body);
    },
  };
}

async function failure(response: Response): Promise<CliError> {
  const body = (await response.json().catch(() => null)) as Partial<ApiError> | null;
  if (!body?.message) return new CliError(`The node answered ${response.status}.`);
  return new CliError(body.message, body.code ?? null, body.details ?? null);
}

function runningUrl(home: string): string | null {
  try {
    const { url } = JSON.parse(readFileSync(join(home, 'node.json'), 'utf8')) as { url?: unknown };
    return typeof url === 'string' ? url : null;
  } catch {
    return null;
  }
}

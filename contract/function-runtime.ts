/** Names that the node and the runtime of edge functions agree on: headers of their requests, and their messages. */

/** Name of the function that a request calls. */
export const FUNCTION_HEADER = 'x-ninefold-function';
/** The app whose function a request calls. */
export const APP_HEADER = 'x-ninefold-app';
/** The functions and secrets for which a request was made (`ActiveFunctions.identity`). */
export const IDENTITY_HEADER = 'x-ninefold-identity';
/** The address that a request has for the client, or the address that a function asks for. */
export const URL_HEADER = 'x-ninefold-url';
/** The id of the request. */
export const REQUEST_ID_HEADER = 'x-ninefold-request-id';
/** The code of an error, in a response that no function made. */
export const ERROR_HEADER = 'x-ninefold-error';

/** Files in the folder of an app's runtime. */
export const runtimeFiles = {
  /** The socket on which the runtime accepts calls. */
  serve: 'serve.sock',
  /** The socket of the node for HTTP requests of functions. */
  http: 'http.sock',
  /** The socket of the node for other connections of functions. Its first line is `CONNECT host port`. */
  tcp: 'tcp.sock',
  /** The folder with a module for each function. */
  code: 'code',
} as const;

/** The first line on the standard input of a runtime, as JSON. */
export interface RuntimeConfiguration {
  /** The folder of the runtime: `runtimeFiles`. */
  readonly folder: string;
  /** The environment variables of the functions. */
  readonly variables: Readonly<Record<string, string>>;
  /** Names of the functions. */
  readonly functions: readonly string[];
  /** Time in milliseconds in which a function must load. */
  readonly startMilliseconds: number;
  /** Characters of a line after which the rest is cut off. */
  readonly logCharacters: number;
}

/** A line on the standard output of a runtime, as JSON. */
export type RuntimeMessage =
  | { readonly type: 'ready' }
  | {
      readonly type: 'log';
      readonly level: 'debug' | 'info' | 'warn' | 'error';
      readonly function: string | null;
      readonly requestId: string | null;
      readonly message: string;
    };

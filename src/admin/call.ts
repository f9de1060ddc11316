import type { z } from 'zod';
import type { CallRequest, Reply } from '../../contract/call-request.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import type { Least } from '../../contract/least-roles.ts';
import type { AdminContext, Caller } from './context.ts';
import type { Params } from './router.ts';

/** The method and the path below /admin/v1, for example `POST /apps/:ref/sql`. */
type Route = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;

/** The minimum role of the caller; `open` for a call without a signed-in caller. */
type LeastOrOpen = Least | 'open';

/** The names in a path: `ref` and `id` for `/apps/:ref/mails/:id`. */
type ParamNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

type ParamsOf<Path extends string> = Readonly<Record<ParamNames<Path>, string>>;

/** The parameters of a query, of which only those with a declared name can be read. */
export type Query<Name extends string> = Omit<URLSearchParams, 'get' | 'getAll'> & {
  get(name: Name): string | null;
  getAll(name: Name): string[];
};

/** The parts of a call by name, among them each name in the path. */
type Given<Path extends string, L extends LeastOrOpen, Name extends string> = ParamsOf<Path> & {
  readonly context: AdminContext;
  readonly caller: L extends 'open' ? null : Caller;
  readonly query: Query<Name>;
  readonly request: CallRequest;
};

/** The JSON body of a request that is not checked yet, so that the audit log also records refused calls. */
type UncheckedBody<B> = Readonly<Record<B extends object ? keyof B & string : string, unknown>>;

export type AuditDetails = Readonly<Record<string, unknown>>;

interface Definition<R extends Route, L extends LeastOrOpen, B, Name extends string> {
  readonly route: R;
  /**
   * The minimum role. A response to a caller with the role `reader` contains no rows, no mails and no other data that
   * members have entered.
   */
  readonly least: L;
  /**
   * Marks a call that needs a password, a passkey or a second factor that the session has shown within
   * `builderProofSeconds`: the call reveals or changes secrets, destroys an app, changes the rights of builders, or acts
   * as a member. Completes the sentence “You are about to …”. The operator token needs no proof.
   */
  readonly sensitive?:
    | string
    | {
        readonly does: string;
        /** Names the requests that need the proof, as `applies` decides. */
        readonly only: string;
        applies(given: ParamsOf<R> & { readonly query: Query<Name> }): boolean;
      };
  /** The entry that the call makes in the audit log of builders, whether it succeeds or is refused. */
  readonly audit?: {
    readonly action: string;
    /** Returns details without key material. Texts are shortened to `auditedCharacters`. */
    details?(body: UncheckedBody<B>, params: ParamsOf<R>): AuditDetails;
    /** Returns details that only exist before the call runs. */
    before?(given: Given<R, L, Name>): Promise<AuditDetails>;
    /** Returns the ref of the app that the call creates. A refused creation is in no log. */
    created?(body: UncheckedBody<B>): unknown;
  };
  /**
   * Lets a builder call before the session has shown the builder's second factor (`show`), or before a builder who must
   * have a second factor has added one (`show` and `add`).
   */
  readonly beforeFactor?: 'show' | 'add';
  /** Describes the call in docs/management-api.md. */
  readonly summary: string;
  /** The type of the response in `contract`, after its status if that is not 200. Absent if the response is empty. */
  readonly returns?: string;
  /** The errors that this call adds to those of every call. */
  readonly errors?: readonly ErrorCode[];
  /** The names of the query parameters. */
  readonly query?: readonly Name[];
  /** The schema of a JSON body. */
  readonly body?: z.ZodType<B>;
  /** Checks before the body is read what the least role does not express. */
  requires?(given: Given<R, L, Name>): void;
  handle(given: Given<R, L, Name> & { readonly body: B }): Promise<Reply>;
}

/** A call of the management API. */
export type AdminCall = Definition<Route, LeastOrOpen, unknown, string>;

/** Defines a call of the management API. The list in calls.ts adds it to the API. */
export const adminCall = <
  const R extends Route,
  const L extends LeastOrOpen,
  B = undefined,
  const Name extends string = never,
>(
  call: Definition<R, L, B, Name>,
  // The router passes each call the parts that its own route, schema and names promise.
): AdminCall => call as unknown as AdminCall;

/** A request of a call, with its caller; null for an open call. */
export interface Exchange {
  readonly context: AdminContext;
  readonly caller: Caller | null;
  readonly request: CallRequest;
  readonly params: Params;
}

/** An exchange with the parts by name that functions of a definition get. */
export const partsOf = ({ params, ...exchange }: Exchange) => ({
  ...params,
  ...exchange,
  query: new URLSearchParams(exchange.request.query),
});

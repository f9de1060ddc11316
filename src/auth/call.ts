import { z } from 'zod';
import type { CallRequest, Reply } from '../../contract/call-request.ts';
import type { AuthCall } from '../../contract/calls.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import { type ParameterWords, parameter, required, wordsOf } from '../calls/words.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { requireKnownKey } from '../identity/resolve.ts';
import { readBody } from './body.ts';
import { type Member, requireAdmin, requireMember } from './callers.ts';
import { type AuthContext, timeOf } from './context.ts';
import { requireMemberPages } from './links/redirects.ts';

/** The fields of a session in a response, for the words of calls. */
export const SESSION = 'access_token, refresh_token, expires_in, expires_at, token_type, user';
/** An id in examples. */
export const SOME_ID = '00000000-0000-0000-0000-000000000000';

/** The words of one call in chapter 7, and what else it declares. */
interface CallWords {
  readonly id: AuthCall['id'];
  /** The call works only while these settings of the app have these values. */
  readonly needs?: AuthCall['settings'];
  /**
   * The codes that the call raises itself. `codesOf` adds those of every call, of the caller, of `needs` and of the
   * hooks.
   */
  readonly errors: readonly ErrorCode[];
  /** True if an auth hook can refuse the call: it issues an access token, creates an account or checks a second factor. */
  readonly runsHooks?: true;
  readonly summary: string;
  readonly returns: string;
  readonly query?: Readonly<Record<string, ParameterWords>>;
  /** The fields of a form, which the handler reads itself. */
  readonly form?: Readonly<Record<string, ParameterWords>>;
  /** The fields of the body that chapter 7 shows, if these are not the fields with words of `body`. */
  readonly shows?: z.ZodRawShape;
  readonly example?: AuthCall['example'];
  readonly supabaseJs?: string;
}

type Route = `${AuthCall['method']} /${string}`;
type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

/** The values that a handler receives after the context and the request. */
type Received<R extends Route, C extends AuthCall['caller'], S extends z.ZodRawShape> = {
  /** The values of the names in braces of the route, percent-encoded. */
  readonly path: { readonly [Name in NamesIn<R>]: string };
  /** Reads the body. It is a function, because some calls check other things first. */
  readonly readBody: (options?: { optional?: boolean }) => z.output<z.ZodObject<S>>;
} & (C extends 'member' ? { readonly member: Member } : unknown);

interface CallDefinition<R extends Route, C extends AuthCall['caller'], S extends z.ZodRawShape> extends CallWords {
  /** Method and path below /auth/v1. Calls with the same path can differ by one parameter: `POST /token?grant_type=pkce`. */
  readonly route: R;
  /** The caller that the call accepts. The handler of a `member` call receives this member. */
  readonly caller: C;
  /** True if applications that a member signed in to may call too, with a token of their own. */
  readonly takesApplications?: C extends 'member' ? true : never;
  /**
   * True if the call issues or opens links in mails, or leads a browser to a page of the app. The console has no such
   * pages: below its path on the node's origin, a link would sign a builder in without the pages of the console.
   */
  readonly needsMemberPages?: true;
  readonly body?: z.ZodObject<S>;
  readonly handle: (context: AuthContext, request: CallRequest, received: Received<R, C, S>) => Reply | Promise<Reply>;
}

/** The values of a request that the router has found. */
interface Routed {
  readonly path: Readonly<Record<string, string>>;
  /** Called with the body when the handler reads it. */
  readonly onBody: (body: Readonly<Record<string, unknown>>) => void;
}

/** A call of /auth/v1 that a request can reach. */
export interface Endpoint {
  readonly facts: AuthCall;
  /** Checks the caller, then handles the request. */
  readonly run: (context: AuthContext, request: CallRequest, routed: Routed) => Promise<Reply>;
}

/** Another form of a call: chapter 7 lists requests with certain bodies on their own. */
export interface CallForm {
  readonly facts: AuthCall;
  readonly of: Endpoint;
  readonly isMeant: (body: Readonly<Record<string, unknown>>) => boolean;
}

/** Settings that switch whole parts of the API, each with the error of its calls while the setting is off. */
const switches = {
  passkey_enabled: { code: 'passkey_disabled' },
  oauth_server_enabled: { code: 'feature_disabled', message: 'OAuth server is disabled' },
} as const;

type Switch = keyof typeof switches;
const switchNames = Object.keys(switches) as Switch[];

/** Defines a call of /auth/v1. A call must also be named in `calls.ts`. */
export function authCall<
  const R extends Route,
  const C extends AuthCall['caller'],
  S extends z.ZodRawShape = Record<never, never>,
>(definition: CallDefinition<R, C, S>): Endpoint {
  const { caller, body = z.object({}), handle } = definition;
  const switchedBy = switchNames.filter((name) => definition.needs?.[name]);
  const run: Endpoint['run'] = async (context, request, { path, onBody }) => {
    if (definition.needsMemberPages) requireMemberPages(context);
    if (caller === 'secret-key') await requireAdmin(context, request);
    if (caller === 'anyone') requireKnownKey(context, request.headers, timeOf(context));
    for (const name of switchedBy) {
      const { code, ...parts } = switches[name];
      if (!context.settings[name]) throw new NinefoldError(code, parts);
    }
    const { takesApplications } = definition;
    const member = caller === 'member' ? await requireMember(context, request, { takesApplications }) : null;
    const read = (options?: { optional?: boolean }) => {
      const value = readBody(request, body, options);
      onBody(value);
      return value;
    };
    return handle(context, request, { path, member, readBody: read } as unknown as Received<R, C, S>);
  };
  return { facts: factsOf(definition, definition, body.shape), run };
}

/**
 * Defines another form of a call.
 * @param isMeant Returns true for the bodies of this form. The first form that is meant counts.
 */
export const formOf = (of: Endpoint, words: CallWords, isMeant: CallForm['isMeant']): CallForm => {
  const { method, path, caller } = of.facts;
  const route = `${method} ${path.slice('/auth/v1'.length)}` as Route;
  return { facts: factsOf({ route, caller }, words, {}), of, isMeant };
};

/** Returns the facts of a call that contract/generated/auth-calls.json stores. */
function factsOf(
  { route, caller }: { readonly route: Route; readonly caller: AuthCall['caller'] },
  words: CallWords,
  body: z.ZodRawShape,
): AuthCall {
  const [method, path = ''] = route.split(' ') as [AuthCall['method'], string];
  const parameters = new URLSearchParams(path.split('?')[1]);
  return {
    id: words.id,
    method,
    path: `/auth/v1${path}`,
    summary: words.summary,
    caller,
    settings: words.needs ?? {},
    parameters: [
      ...[...parameters].map(([name, value]) => parameter(name, 'query', required(value))),
      ...Object.entries(words.shows ?? body).flatMap(([name, field]) => {
        const words = wordsOf(field as z.ZodType);
        return words ? [parameter(name, 'body', words)] : [];
      }),
      ...Object.entries(words.form ?? {}).map(([name, words]) => parameter(name, 'body', words)),
      ...Object.entries(words.query ?? {}).map(([name, words]) => parameter(name, 'query', words)),
    ],
    returns: words.returns,
    example: words.example ?? null,
    supabase_js: words.supabaseJs ?? null,
    errors: codesOf(words, caller),
  };
}

const ofEveryCall: readonly ErrorCode[] = [
  'bad_json',
  'validation_failed',
  'over_request_rate_limit',
  'request_entity_too_large',
  'database_refused',
];

/** PGRST302 is the error of an app without a role for anonymous callers. */
const ofCaller: Readonly<Record<AuthCall['caller'], readonly ErrorCode[]>> = {
  anyone: [],
  member: [
    'no_authorization',
    'bad_jwt',
    'session_not_found',
    'user_not_found',
    'user_banned',
    'oauth_application_refused',
    'PGRST302',
  ],
  'secret-key': ['no_authorization', 'bad_jwt', 'session_not_found', 'not_admin', 'PGRST302'],
};

const ofHooks: readonly ErrorCode[] = [
  'unknown',
  'unexpected_failure',
  'hook_timeout',
  'hook_timeout_after_retry',
  'hook_payload_over_size_limit',
  'hook_payload_invalid_content_type',
  'mfa_verification_rejected',
];

/** Returns all codes of /auth/v1 that a call can return. */
const codesOf = ({ errors, needs, runsHooks }: CallWords, caller: AuthCall['caller']): ErrorCode[] => [
  ...new Set([
    ...ofEveryCall,
    ...ofCaller[caller],
    ...switchNames.flatMap((name) => (needs?.[name] ? [switches[name].code] : [])),
    ...errors,
    ...(runsHooks ? ofHooks : []),
  ]),
];

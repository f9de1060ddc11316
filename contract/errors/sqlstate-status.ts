/** HTTP statuses of single SQLSTATEs. `byClass` has the statuses of all others. */
const byCode: Readonly<Record<string, number>> = {
  '23503': 409, // foreign_key_violation
  '23505': 409, // unique_violation
  '25006': 405, // read_only_sql_transaction: a GET that writes
  '53400': 500, // configuration_limit_exceeded
  '57P01': 503, // admin_shutdown
  P0001: 400, // raise_exception
  '42P01': 404, // undefined_table
  '21000': 500, // cardinality_violation
  '42501': 403, // insufficient_privilege
  '42883': 404, // undefined_function
  '42P17': 500, // invalid_object_definition: infinite recursion
  NF005: 500, // The error of a state machine that cannot be evaluated.
};

/** HTTP status by the first two characters of the SQLSTATE; 400 for all others. */
const byClass: Readonly<Record<string, number>> = {
  '08': 503,
  '09': 500,
  '0L': 403,
  '0P': 403,
  '25': 500,
  '28': 403,
  '2D': 500,
  '38': 500,
  '39': 500,
  '3B': 500,
  '40': 500,
  '53': 503,
  '54': 400, // program_limit_exceeded: the request nests too deep or a value is too long. PostgREST responds with 500.
  '55': 500,
  '57': 500,
  '58': 500,
  F0: 500,
  HV: 500,
  NF: 409, // Errors of the state machines of an app.
  P0: 500,
  XX: 500,
};

/** A status that some responses with a SQLSTATE have in place of its usual one. */
interface Variant {
  readonly status: number;
  /** The condition in words, for the specification. */
  readonly when: string;
  applies(message: string, authenticated: boolean): boolean;
}

/** SQLSTATEs whose status depends on the caller or on the message, because they have two meanings. */
const variants: Readonly<Record<string, Variant>> = {
  '42501': {
    status: 401,
    when: 'The caller has no session.',
    applies: (_, authenticated) => !authenticated,
  },
  '21000': {
    status: 400,
    when: 'A change of rows has no filter, which the app refuses.',
    applies: (message) => message.endsWith('requires a WHERE clause'),
  },
  '22023': {
    status: 401,
    when: 'The role in the token does not exist.',
    applies: (message) => message.startsWith('role') && message.endsWith('does not exist'),
  },
  '42883': {
    status: 406,
    when: 'The response has no representation in XML.',
    applies: (message) => message.startsWith('function xmlagg('),
  },
};

/**
 * Returns the HTTP status for an error of PostgreSQL (PostgREST docs, "HTTP Status Codes").
 * @param message PostgreSQL's message. Some SQLSTATEs have two meanings, which only the message distinguishes.
 * @param authenticated True if the role of the request is not the anonymous one.
 */
export function statusOfSqlstate(code: string, message = '', authenticated = true): number {
  const variant = Object.hasOwn(variants, code) ? variants[code] : undefined;
  return variant?.applies(message, authenticated) ? variant.status : usualStatus(code);
}

function usualStatus(code: string): number {
  // With RAISE SQLSTATE 'PT402', a function of the app chooses the status 402.
  if (code.startsWith('PT')) return validStatus(Number(code.slice(2))) ?? 500;
  return byCode[code] ?? byClass[code.slice(0, 2)] ?? 400;
}

/** Returns the statuses that a response with the SQLSTATE can have in place of its usual one, each with its condition. */
export function otherStatusesOfSqlstate(code: string): Readonly<Record<number, string>> {
  const variant = Object.hasOwn(variants, code) ? variants[code] : undefined;
  return variant ? { [variant.status]: variant.when } : {};
}

/** Returns the status if a function may choose it; null for any other value. */
export const validStatus = (status: unknown): number | null =>
  typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 599 ? status : null;

type JsonType = 'string' | 'array' | 'object' | 'integer';

/** The claims of GoTrue's MinimumViableTokenSchema with their types. */
const types: Readonly<Record<string, readonly JsonType[]>> = {
  aud: ['string', 'array'],
  exp: ['integer'],
  jti: ['string'],
  iat: ['integer'],
  iss: ['string'],
  nbf: ['integer'],
  sub: ['string'],
  email: ['string'],
  phone: ['string'],
  app_metadata: ['object'],
  user_metadata: ['object'],
  role: ['string'],
  aal: ['string'],
  amr: ['array'],
  session_id: ['string'],
  client_id: ['string'],
};

const required = ['aud', 'exp', 'iat', 'sub', 'email', 'phone', 'role', 'aal', 'session_id', 'is_anonymous'];

/**
 * Returns the deviations of a value from the schema of claims, with the messages of GoTrue's validator; none for valid
 * claims.
 */
export function claimProblems(claims: unknown): string[] {
  if (typeOf(claims) !== 'object') return [`(root): Invalid type. Expected: object, given: ${typeOf(claims)}`];
  const given = claims as Record<string, unknown>;
  const missing = required.filter((name) => !Object.hasOwn(given, name)).map((name) => `(root): ${name} is required`);
  const wrong = Object.entries(types).flatMap(([name, allowed]) => {
    if (!Object.hasOwn(given, name)) return [];
    const type = typeOf(given[name]);
    return allowed.some((one) => one === type) ? [] : [invalidType(name, allowed.join('/'), type)];
  });
  const amr = Array.isArray(given.amr) ? given.amr : [];
  const entries = amr.flatMap((entry, i) => {
    const type = typeOf(entry);
    return type === 'string' || type === 'object' ? [] : [invalidType(`amr.${i}`, 'string/object', type)];
  });
  return [...missing, ...wrong, ...entries];
}

const invalidType = (name: string, expected: string, given: string): string =>
  `${name}: Invalid type. Expected: ${expected}, given: ${given}`;

/** Returns the JSON Schema name of the type of a JSON value. */
function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

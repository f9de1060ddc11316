import { RESERVED_SECRET } from '../../../../../contract/functions.ts';
import type { CallEntry } from '../../../../../contract/specification-calls.ts';
import type { Lookup } from '../../../../access/lookup.ts';
import type { EdgeFunctionFact } from '../../../../catalog/edge-functions.ts';

/** Returns a call for each edge function that runs. Versions of the specification from before edge functions have none. */
export function edgeFunctionCallEntries(look: Lookup, functions: readonly EdgeFunctionFact[] = []): CallEntry[] {
  const roles = look.shared.roles.filter(({ barred }) => barred === null).map(({ name }) => name);
  return functions.map(({ name, verifies_jwt: verifies, version, reads }) => {
    const secrets = reads.filter((each) => !RESERVED_SECRET.test(each));
    const callers = verifies ? 'Callers need a key of the app or a token.' : 'Callers need no key and no token.';
    const needs = secrets.length === 0 ? '' : ` It reads the secrets ${secrets.join(', ')}.`;
    return {
      ...{ id: `functions.${name}`, area: 'functions', method: 'POST', path: `/functions/v1/${name}` },
      summary: `Runs version ${version} of the edge function ${name}, with any method and path below it. ${callers}${needs}`,
      ...{ entity: null, setting: null, roles: [...roles] },
      parameters: [{ name: 'body', in: 'body', type: 'any', required: false, meaning: 'The function decides.' }],
      returns: 'The function decides.',
    };
  });
}

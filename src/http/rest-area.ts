import type { Exchange, Reply } from '../../contract/exchange.ts';
import type { RestSettings } from '../../contract/settings.ts';
import type { App } from '../apps/app.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Identity } from '../identity/identity.ts';
import { identityOfNamed, namedCaller } from '../identity/named-caller.ts';
import { roleRules } from '../identity/resolve.ts';
import { asksWhy } from '../rest/explain/asked.ts';
import { explainAccess } from '../rest/explain/explain.ts';
import { handleRest } from '../rest/handle.ts';
import { restErrorReply } from '../rest/response/error-reply.ts';
import type { Area } from './area.ts';

/** `/rest/v1` of an app. */
export const restArea: Area = {
  name: 'rest',
  handle: async (app, exchange, identify) => {
    const started = performance.now();
    const identity = await identify();
    const jwtMilliseconds = performance.now() - started;
    if (asksWhy(exchange, identity)) return explain(app, exchange, identity);
    const { catalog, settings } = await schemaFor(app, identity);
    return handleRest({ database: app.database, catalog, identity, settings, jwtMilliseconds }, exchange);
  },
  renderError: async (error, app, _exchange, identity) => {
    const settings = app ? (await app.settings()).rest : null;
    return restErrorReply(error, {
      authenticated: identity !== null && identity.role !== (settings?.db_anon_role ?? 'anon'),
      verbosity: settings?.client_error_verbosity ?? 'verbose',
    });
  },
};

/** Why a call is refused: of whom the header `x-ninefold-as` names, else of whoever asks. */
async function explain(app: App, exchange: Exchange, asker: Identity): Promise<Reply> {
  const { rest } = await app.settings();
  const named = namedCaller(exchange.headers['x-ninefold-as']);
  const identity = named === null ? asker : await identityOfNamed(app.database, roleRules(rest), named);
  const { catalog, settings } = await schemaFor(app, identity);
  return explainAccess({ database: app.database, catalog, identity, settings }, exchange);
}

/**
 * A builder with the rights of the service role sees every schema; everybody else what is exposed. Throws PGRST002 when the
 * schema could not be read; the next call tries again.
 */
async function schemaFor(app: App, identity: Identity): Promise<{ catalog: Catalog; settings: RestSettings }> {
  const { rest } = await app.settings();
  const isBuilder = identity.source === 'builder' && identity.role === 'service_role';
  let catalog: Catalog;
  try {
    catalog = await (isBuilder ? app.wholeCatalog() : app.catalog());
  } catch (cause) {
    throw new NinefoldError('PGRST002', { cause });
  }
  return { catalog, settings: isBuilder ? { ...rest, db_schemas: catalog.schemas } : rest };
}

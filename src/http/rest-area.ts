import type { Exchange, Reply } from '../../contract/exchange.ts';
import type { RestSettings } from '../../contract/settings.ts';
import type { App } from '../apps/app.ts';
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
    const identity = await identify();
    if (asksWhy(exchange, identity)) return explain(app, exchange, identity);
    const { catalog, settings } = await schemaFor(app, identity);
    return handleRest({ database: app.database, catalog, identity, settings }, exchange);
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

/** A builder with the rights of the service role sees every schema; everybody else what is exposed. */
async function schemaFor(
  app: App,
  identity: Identity,
): Promise<{ catalog: Awaited<ReturnType<App['catalog']>>; settings: RestSettings }> {
  const { rest } = await app.settings();
  if (identity.source !== 'builder' || identity.role !== 'service_role') {
    return { catalog: await app.catalog(), settings: rest };
  }
  const catalog = await app.wholeCatalog();
  return { catalog, settings: { ...rest, db_schemas: catalog.schemas } };
}

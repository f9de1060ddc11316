import { isTemplateName, templateNames } from '../../../contract/templates.ts';
import { ownerConnection } from '../../apps/app-connections.ts';
import type { AppRecord } from '../../apps/registry/app-record.ts';
import { withPool } from '../../apps/registry/server.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { callerName } from '../caller-name.ts';
import type { AdminContext, Caller } from '../context.ts';
import { openApp } from '../open-app.ts';
import { apply } from '../sql/migrate.ts';
import { readFacts } from '../sql/script.ts';
import { templateFiles } from './templates.ts';

/** Characters of an unknown name that the error repeats. */
const SHOWN_CHARACTERS = 100;

/**
 * Creates an app with the migrations and the seed of a template, which are applied and recorded in the same way as
 * `migrate` does it. After all of them, the first version of the app's specification is recorded.
 * @throws what `create` of the lifecycle throws; `template_unknown`; `template_failed`, after which no app remains
 */
export async function createFromTemplate(
  context: AdminContext,
  caller: Caller,
  ref: string,
  options: {
    name?: string;
    jwtSecret?: string;
    server?: string;
    exposesNewTables?: boolean;
    builder: string | null;
    template: string;
  },
): Promise<AppRecord> {
  const { template, ...rest } = options;
  if (!isTemplateName(template)) {
    throw new NinefoldError('template_unknown', {
      message: `There is no template with this name: there are ${templateNames.join(', ')}.`,
      details: { template: template.slice(0, SHOWN_CHARACTERS), templates: templateNames },
    });
  }
  const who = await callerName(context, caller);
  const fill = async (record: AppRecord) => {
    const facts = await withPool(ownerConnection(context.server.target, record), (pool) => readFacts(pool, []));
    const done = { applied: [] as string[], warnings: [] };
    for (const file of templateFiles[template]) {
      await apply(context, record, file, { who, facts, done }).catch(refuseTemplate);
      done.applied.push(file.name);
    }
  };
  const record = await context.lifecycle.create(ref, { ...rest, fill });
  await context.versions.note(await openApp(context, ref));
  return record;
}

function refuseTemplate(error: unknown): never {
  if (!(error instanceof NinefoldError) || error.code !== 'migration_failed') throw error;
  throw new NinefoldError('template_failed', {
    message: `The template could not be applied, so no app was made: ${error.message}`,
    details: error.details,
    cause: error,
  });
}

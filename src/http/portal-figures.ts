import { z } from 'zod';
import type { CallRequest, Reply } from '../../contract/call-request.ts';
import { limits } from '../../contract/limits.ts';
import {
  type ComputedPart,
  computedParts,
  type DraftPart,
  figurePeriods,
  type PortalScreens,
} from '../../contract/portal.ts';
import type { App } from '../apps/app.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Identity } from '../identity/identity.ts';
import { computeFigures } from '../rest/figures/figures.ts';

/** Matches names of time zones in the database of IANA, such as `America/Argentina/Buenos_Aires`. */
const ZONE = /^[A-Za-z][\w+-]*(?:\/[\w+-]+)*$/;

/** Max number of characters of the name of a time zone. */
const ZONE_CHARACTERS = 64;

/** Max number of bytes of a name in PostgreSQL. */
const NAME_BYTES = 63;

// An address cannot express one half of a surrogate pair.
const name = z
  .string()
  .min(1)
  .max(NAME_BYTES)
  .regex(/^\P{Cs}*$/u);
const rows = { index: z.int().min(0), title: z.string(), entity: z.string(), filter: z.string().nullable() };
const value = { value: z.enum(['count', 'sum', 'avg', 'min', 'max']), of: name.nullable() };

/** The schema of the parameter `parts`. */
const draftParts = z
  .array(
    z.strictObject({
      part: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('number'), ...rows, ...value, over: name.nullable() }),
        z.object({ kind: z.literal('bars'), ...rows, ...value, by: name }),
        z.object({ kind: z.literal('line'), ...rows, ...value, over: name, by: name.nullable() }),
      ]) satisfies z.ZodType<ComputedPart>,
      entity: z.strictObject({ name, schema: name.nullable() }),
    }),
  )
  .max(limits.pageParts.default) satisfies z.ZodType<DraftPart[]>;

/**
 * Handles `GET /portal/v1/figures?route=/desk&days=30&zone=Europe/Berlin`: the numbers, bars and lines of one page. They
 * follow from the definition of the page alone. A builder may send the parts of a draft (`DraftPart[]` as JSON) as `parts`
 * in place of `route`. They are computed with the rights of the caller whom the builder acts as.
 * @param readScreens Reads the screens and pages of the caller.
 * @throws NinefoldError not_found for a page that the caller may not open, validation_invalid for another period or zone,
 * or other parts
 */
export async function figuresReply(
  app: App,
  request: CallRequest,
  identity: Identity,
  readScreens: () => Promise<PortalScreens>,
): Promise<Reply> {
  const asked = new URLSearchParams(request.query);
  const days = figurePeriods.find((period) => String(period) === asked.get('days'));
  const zone = asked.get('zone') ?? 'UTC';
  if (days === undefined || zone.length > ZONE_CHARACTERS || !ZONE.test(zone)) {
    const message = `The figures of a page have days=${figurePeriods.join(' or ')} and a time zone, such as zone=Europe/Berlin.`;
    throw new NinefoldError('validation_invalid', { message });
  }
  const draft = identity.source === 'builder' ? asked.get('parts') : null;
  const parts = draft === null ? computedParts(await readScreens(), asked.get('route')) : partsOfDraft(draft);
  if (!parts) throw new NinefoldError('not_found');
  const body = await computeFigures(app, identity, request, { parts, days, zone });
  return {
    status: 200,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'private, no-store',
      vary: 'Authorization, apikey',
    },
    body: JSON.stringify(body),
  };
}

function partsOfDraft(text: string): DraftPart[] {
  const message = 'The parameter parts is a JSON list of parts of a page, each with its entity.';
  try {
    return draftParts.parse(JSON.parse(text));
  } catch (cause) {
    throw new NinefoldError('validation_invalid', { message, cause });
  }
}

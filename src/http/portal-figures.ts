import type { CallRequest, Reply } from '../../contract/call-request.ts';
import { figurePeriods, type PortalScreens } from '../../contract/portal.ts';
import type { App } from '../apps/app.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Identity } from '../identity/identity.ts';
import { computeFigures } from '../rest/figures/figures.ts';

/** Matches names of time zones in the database of IANA, such as `America/Argentina/Buenos_Aires`. */
const ZONE = /^[A-Za-z][\w+-]*(?:\/[\w+-]+)*$/;

/** Max number of characters of the name of a time zone. */
const ZONE_CHARACTERS = 64;

/**
 * Handles `GET /portal/v1/figures?route=/desk&days=30&zone=Europe/Berlin`: the numbers, bars and lines of one page. They
 * follow from the definition of the page alone.
 * @param screens The screens and pages of the caller.
 * @throws NinefoldError not_found for a page that the caller may not open, validation_invalid for another period or zone
 */
export async function figuresReply(
  app: App,
  request: CallRequest,
  identity: Identity,
  screens: PortalScreens,
): Promise<Reply> {
  const asked = new URLSearchParams(request.query);
  const page = screens.pages.find(({ route }) => route === asked.get('route'));
  if (!page) throw new NinefoldError('not_found');
  const days = figurePeriods.find((period) => String(period) === asked.get('days'));
  const zone = asked.get('zone') ?? 'UTC';
  if (days === undefined || zone.length > ZONE_CHARACTERS || !ZONE.test(zone)) {
    const message = `The figures of a page have days=${figurePeriods.join(' or ')} and a time zone, such as zone=Europe/Berlin.`;
    throw new NinefoldError('validation_invalid', { message });
  }
  const parts = page.parts.flatMap((part) => {
    if (part.kind !== 'number' && part.kind !== 'bars' && part.kind !== 'line') return [];
    const entity = screens.entities.find(({ id }) => id === part.entity);
    return entity ? [{ part, entity }] : [];
  });
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

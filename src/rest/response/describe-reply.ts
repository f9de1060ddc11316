import type { Reply } from '../../../contract/call-request.ts';
import type { RestSettings } from '../../../contract/settings.ts';
import type { SchemaCache } from '../../catalog/schema-cache.ts';
import type { DescribePlan, OptionsPlan } from '../plan/plan.ts';
import type { ApiRequest } from '../request/api-request.ts';
import type { Described } from '../sql/describe.ts';
import { openApiDocument } from './open-api/document.ts';

/**
 * Builds the response with the OpenAPI document.
 * @param url Public URL of `/rest/v1`.
 */
export function describeReply(
  request: ApiRequest,
  plan: DescribePlan,
  described: Described,
  schemaCache: SchemaCache,
  settings: RestSettings,
  url: string,
): Reply {
  const headers: Record<string, string> = {
    'content-type': 'application/openapi+json; charset=utf-8',
  };
  if (request.schemaNegotiated) headers['content-profile'] = request.schema;
  const body = plan.headOnly
    ? null
    : JSON.stringify(openApiDocument(plan.schema, schemaCache, described, settings, url));
  return { status: 200, headers, body };
}

/** Returns the response with the allowed methods of a path (RFC 9110, section 9.3.7). */
export const optionsReply = (plan: OptionsPlan): Reply => ({
  status: 200,
  headers: { allow: plan.allow.join(','), 'access-control-allow-origin': '*' },
  body: null,
});

import type { Reply } from '../../../contract/call-request.ts';
import type { OptionsPlan } from '../plan/plan.ts';

/** Returns the response with the allowed methods of a path (RFC 9110, section 9.3.7). */
export const optionsReply = (plan: OptionsPlan): Reply => ({
  status: 200,
  headers: { allow: plan.allow.join(','), 'access-control-allow-origin': '*' },
  body: null,
});

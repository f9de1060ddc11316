import { useQuery } from '@tanstack/react-query';
import type { ListedCall, RequestTrace } from '../../../contract/observed.ts';
import { ApiFailure } from './api-failure.ts';
import { requestTrace } from './calls.ts';
import { logLine } from './log.ts';

/** The parts of a request that its page needs: of a trace, or of a line of the log. */
export type AnsweredRequest = Omit<ListedCall, 'request_id' | 'member' | 'role' | 'user_id' | 'source'> &
  Pick<RequestTrace, 'refused'> & { readonly who: Pick<RequestTrace['who'], 'role' | 'user_id'> };

const answeredOf = (line: ListedCall | null | undefined): AnsweredRequest | undefined =>
  line ? { ...line, who: { role: line.role, user_id: line.user_id } } : undefined;

/**
 * Reads the trace of a request. If the trace is not stored, reads the line of the log.
 * @param requestId undefined on pages that show no request.
 */
export function useRequest(ref: string, requestId: string | undefined) {
  const trace = useQuery({ ...requestTrace(ref, requestId ?? ''), enabled: requestId !== undefined });
  const isUnknown = trace.error instanceof ApiFailure && trace.error.code === 'call_unknown';
  const logged = useQuery({ ...logLine(ref, requestId ?? ''), enabled: requestId !== undefined && isUnknown });
  return { trace, isUnknown, logged, answered: trace.data?.trace ?? answeredOf(logged.data) };
}

/** Returns the chapter of a request: Errors if the request failed, otherwise Calls. */
export const chapterOf = (answered: AnsweredRequest | undefined): 'errors' | 'calls' =>
  answered === undefined || answered.code === null ? 'calls' : 'errors';

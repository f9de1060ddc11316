import { queryOptions } from '@tanstack/react-query';
import type { AccessExplanation } from '../../../../contract/access.ts';
import { segment } from '../api.ts';
import { failureOf } from '../api-failure.ts';
import { reach, readJson } from '../reach.ts';
import { queryString } from '../rows/query-string.ts';
import type { Question } from './question.ts';

/** Explains the result of a call. The server runs the call through the builder proxy, observes it and rolls it back. */
export const explanation = (ref: string, question: Question) =>
  queryOptions({
    queryKey: ['explanation', ref, question],
    queryFn: async ({ signal }): Promise<AccessExplanation> => {
      const { requestRole, method, path, schema, parameters, body } = question;
      const query = queryString(parameters);
      const response = await reach(`/admin/v1/apps/${segment(ref)}/rest/v1/${path}${query === '' ? '' : `?${query}`}`, {
        method,
        headers: {
          accept: 'application/json',
          prefer: 'explain=access',
          [method === 'GET' ? 'accept-profile' : 'content-profile']: schema,
          ...(requestRole !== 'service' && { 'x-ninefold-as': requestRole }),
          ...(body !== null && { 'content-type': 'application/json' }),
        },
        ...(body !== null && { body }),
        signal,
      });
      const answer = await readJson(response);
      if (!response.ok) throw failureOf(response.status, answer, response.headers.get('x-request-id'));
      return answer as AccessExplanation;
    },
    // Rows and policies may change at any time, so the explanation is not cached.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

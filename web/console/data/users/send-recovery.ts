import { mutationOptions } from '@tanstack/react-query';
import { api, segment } from '../api.ts';

/** Mails a member the link that sets a new password. */
export const sendRecovery = (ref: string) =>
  mutationOptions({
    mutationFn: (email: string) =>
      api<unknown>(`/apps/${segment(ref)}/auth/v1/recover`, { method: 'POST', body: { email } }),
  });

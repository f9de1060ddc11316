import { entries } from './entry.ts';

/** GoTrue's `error_code`s (supabase/auth `internal/api/apierrors/errorcode.go`). */
export const authErrors = entries({});

import { AuthApiError, AuthRetryableFetchError } from '@supabase/auth-js';
import { beforeAll, expect, it } from 'vitest';
import { en } from '../../language/en.ts';
import { setLanguage } from '../../language/messages.ts';
import { authWords } from './auth-words.ts';

beforeAll(() => setLanguage('en', en));

it.each([
  [new AuthApiError('Invalid login credentials', 400, 'invalid_credentials'), 'E-mail or password is wrong.'],
  [new AuthApiError('Signups are slow', 400, 'unheard_of'), 'Signups are slow.'],
  [new AuthRetryableFetchError('fetch failed', 0), 'The app cannot be reached. Check your connection, then try again.'],
  [{ no: 'error' }, 'Something went wrong. Try again.'],
])('authWords describes %s in a sentence for the member', (error, words) => expect(authWords(error)).toBe(words));

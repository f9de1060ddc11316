import { body, defineCalls, query, session } from './call.ts';

/** Calls that send texts with codes, and that accept these. */
export const phoneCalls = defineCalls({
  'auth.signup.phone': {
    call: 'POST /auth/v1/signup',
    summary:
      'Makes an account with a phone number and a password, and signs in unless the number must be confirmed first.',
    caller: 'anyone',
    settings: { disable_signup: false, external_phone_enabled: true },
    parameters: [
      body('phone', 'text', true, 'The phone number (E.164).'),
      body('password', 'text', true, 'The password.'),
      body('data', 'object', false, 'User metadata, which the member may change later.'),
      body('channel', 'text', false, 'sms.'),
    ],
    returns: `a session: ${session}; or the user alone while the number awaits confirmation`,
    example: { phone: '+15555550100', password: 'a long password' },
    supabase_js: "supabase.auth.signUp({ phone: '+15555550100', password: 'a long password' })",
  },
  'auth.token.password.phone': {
    call: 'POST /auth/v1/token?grant_type=password',
    summary: 'Signs in with a phone number and a password.',
    caller: 'anyone',
    settings: { external_phone_enabled: true },
    parameters: [
      query('grant_type', 'text', true, 'password'),
      body('phone', 'text', true, 'The phone number.'),
      body('password', 'text', true, 'The password.'),
    ],
    returns: `a session: ${session}`,
    example: { phone: '+15555550100', password: 'a long password' },
    supabase_js: "supabase.auth.signInWithPassword({ phone: '+15555550100', password: 'a long password' })",
  },
  'auth.otp.phone': {
    call: 'POST /auth/v1/otp',
    summary: 'Sends a code by text that signs in. A number without an account gets one where sign-up is open.',
    caller: 'anyone',
    settings: { external_phone_enabled: true },
    parameters: [
      body('phone', 'text', true, 'The phone number (E.164).'),
      body('create_user', 'boolean', false, 'False: a number without an account gets none, and no text.'),
      body('data', 'object', false, 'User metadata of a new account.'),
      body('channel', 'text', false, 'sms.'),
    ],
    returns: '{}, or message_id where the provider gives one',
    example: { phone: '+15555550100' },
    supabase_js: "supabase.auth.signInWithOtp({ phone: '+15555550100' })",
  },
  'auth.resend.phone': {
    call: 'POST /auth/v1/resend',
    summary: 'Sends the code of a sign-up or of a change of number again.',
    caller: 'anyone',
    settings: { external_phone_enabled: true },
    parameters: [body('type', 'text', true, 'sms or phone_change.'), body('phone', 'text', true, 'The phone number.')],
    returns: '{}, for every number',
    example: { type: 'sms', phone: '+15555550100' },
    supabase_js: "supabase.auth.resend({ type: 'sms', phone: '+15555550100' })",
  },
  'auth.verify.phone': {
    call: 'POST /auth/v1/verify',
    summary: 'Confirms a phone number and signs in, with the code of a text. Each code works once.',
    caller: 'anyone',
    settings: { external_phone_enabled: true },
    parameters: [
      body('type', 'text', true, 'sms or phone_change.'),
      body('phone', 'text', true, 'The number that received the code.'),
      body('token', 'text', true, 'The code.'),
    ],
    returns: `a session: ${session}`,
    example: { type: 'sms', phone: '+15555550100', token: '123456' },
    supabase_js: "supabase.auth.verifyOtp({ type: 'sms', phone: '+15555550100', token: '123456' })",
  },
});

import { entries, memberTexts } from './entry.ts';

/** Errors of edge functions. The body of a response has the fields `code` and `message`, as with Supabase's gateway. */
export const functionErrors = entries('functions', {
  function_not_found: {
    status: 404,
    message: 'Requested function was not found',
    meaning: 'The app has no edge function with this name, or it is switched off.',
    action: 'Deploy it with “ninefold functions deploy”, or correct the name.',
    member: memberTexts.fault,
  },
  functions_off: {
    status: 503,
    message: 'This node runs no edge functions.',
    meaning: 'NINEFOLD_FUNCTIONS is off, or the node has no Deno for this system.',
    action:
      'Set NINEFOLD_FUNCTIONS to on, and NINEFOLD_DENO to the program deno if the npm package has none for the system.',
    member: memberTexts.fault,
  },
  function_unauthorized: {
    status: 401,
    message: 'Missing authorization header',
    meaning: 'The function verifies callers, and the request has neither a key of the app nor a token.',
    action: 'Send a key or an access token, as supabase-js does, or deploy the function with verify_jwt = false.',
    member: memberTexts.signInAgain,
  },
  function_not_started: {
    status: 503,
    message: 'Function failed to start (please check logs)',
    meaning: 'The code of the function failed while it was loaded, or it took longer than functionStartSeconds.',
    action: 'Read the logs of the function, and deploy a corrected version.',
    member: memberTexts.fault,
  },
  function_failed: {
    status: 500,
    message: 'Function failed without a response (please check logs)',
    meaning: 'The handler of the function threw an error, returned no Response, or its process ended.',
    action: 'Read the logs of the function under the request id.',
    member: memberTexts.fault,
  },
  function_timeout: {
    status: 504,
    message: 'Function took too long to respond',
    meaning: 'The call took longer than the limit functionSeconds.',
    action: 'Answer sooner and continue in EdgeRuntime.waitUntil, or split the work, for example with a queue.',
    member: memberTexts.tryAgain,
    limit: 'functionSeconds',
  },
  function_processor_exceeded: {
    status: 546,
    message: 'Function used too much processor time (please check logs)',
    meaning:
      'The functions of the app used more processor time than functionProcessorSeconds without finishing a call.',
    action: 'Make the function cheaper, or split the work into several calls.',
    member: memberTexts.tryAgain,
    limit: 'functionProcessorSeconds',
  },
  function_memory_exceeded: {
    status: 546,
    message: 'Function used too much memory (please check logs)',
    meaning: 'The process of the app’s functions exceeded the limit functionMemoryBytes and was ended.',
    action: 'Read and write in streams, or handle less at once.',
    member: memberTexts.tryAgain,
    limit: 'functionMemoryBytes',
  },
  function_busy: {
    status: 429,
    otherStatuses: { 503: 'All processes for functions of the node are busy.' },
    message: 'Too many calls of functions at once',
    meaning: 'The app has functionCalls calls in flight, or the node has no room for another process.',
    action: 'Try again after the seconds in Retry-After.',
    member: memberTexts.tryAgain,
  },
  function_limit_reached: {
    status: 409,
    message: 'The app has too many functions.',
    meaning:
      'The app has as many edge functions as the limit functions allows, or their active versions are larger than functionsBundleBytes.',
    action: 'Delete functions that are not used.',
    member: null,
    limit: 'functions',
  },
  function_not_bundled: {
    status: 422,
    message: 'The function cannot be deployed.',
    meaning: 'Its code has an error, or something that it imports cannot be loaded.',
    action: 'Read `details`, which names file, line and import.',
    member: null,
  },
});

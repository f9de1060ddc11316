import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServerClient, parseCookieHeader, serializeCookieHeader } from '@supabase/ssr';
import { createElement as h, type ReactElement } from 'react';
import { renderToString } from 'react-dom/server';

/** Address and publishable key of the app. */
interface App {
  readonly url: string;
  readonly key: string;
}

/**
 * Creates the client of one request. It reads the session from the request's cookies and writes changed cookies to the
 * response.
 */
function clientOf({ url, key }: App, request: IncomingMessage, response: ServerResponse) {
  return createServerClient(url, key, {
    cookies: {
      getAll: () =>
        parseCookieHeader(request.headers.cookie ?? '').map(({ name, value }) => ({ name, value: value ?? '' })),
      setAll: (cookies, headers) => {
        for (const { name, value, options } of cookies) {
          response.appendHeader('set-cookie', serializeCookieHeader(name, value, options));
        }
        // A response that changes cookies is for one visitor, so caches must not store it.
        for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      },
    },
  });
}

interface Note {
  readonly id: number;
  readonly body: string;
}

const page = (content: ReactElement): string =>
  `<!doctype html>${renderToString(h('html', { lang: 'en' }, h('body', null, content)))}`;

const signInForm = (fault: string | null): ReactElement =>
  h(
    'form',
    { method: 'post', action: '/sign-in' },
    h('p', null, fault ?? 'Please sign in.'),
    h('input', { name: 'email', type: 'email', autoComplete: 'username', required: true }),
    h('input', { name: 'password', type: 'password', autoComplete: 'current-password', required: true }),
    h('button', { type: 'submit' }, 'Sign in'),
  );

const notesOf = (email: string, notes: readonly Note[]): ReactElement =>
  h(
    'main',
    null,
    h('h1', null, `Notes of ${email}`),
    h('ul', null, ...notes.map(({ id, body }) => h('li', { key: id }, body))),
    h('form', { method: 'post', action: '/sign-out' }, h('button', { type: 'submit' }, 'Sign out')),
  );

/** Reads the fields of a form. Throws if the form is too large. */
async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const chunk of request) {
    text += chunk;
    if (text.length > 10_000) throw new Error('The form is too large.');
  }
  return new URLSearchParams(text);
}

function send(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(html);
}

/** Answers a request. Calls of the client may change cookies, so the headers are sent after the last call. */
async function answer(app: App, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const supabase = clientOf(app, request, response);
  if (request.method === 'POST') {
    // A form of another site must not sign a visitor in or out.
    if (request.headers['sec-fetch-site'] === 'cross-site') return send(response, 403, page(h('p', null, 'Refused.')));
    const form = await formOf(request);
    if (request.url === '/sign-out') await supabase.auth.signOut({ scope: 'local' });
    else {
      const [email, password] = [form.get('email') ?? '', form.get('password') ?? ''];
      const { error } = await supabase.auth.signInWithPassword({ email, password });
      if (error) return send(response, 401, page(signInForm(error.message)));
    }
    response.writeHead(303, { location: '/' }).end();
    return;
  }
  // Sends a request to the app. The client first renews an access token that expires soon.
  const { data } = await supabase.auth.getUser();
  if (data.user === null) return send(response, 200, page(signInForm(null)));
  const { data: notes, error } = await supabase.from('notes').select('id, body').order('id');
  if (error) return send(response, 502, page(h('p', null, error.message)));
  send(response, 200, page(notesOf(data.user.email ?? '', notes)));
}

/** Starts the site. */
export const startSite = (app: App, port: number): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer((request, response) => {
      answer(app, request, response).catch((error: Error) => {
        if (!response.headersSent) send(response, 500, page(h('p', null, error.message)));
      });
    });
    server.listen(port, '127.0.0.1', () => resolve(server));
  });

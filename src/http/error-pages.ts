import type { Reply } from '../../contract/call-request.ts';
import { conditionClasses, conditionNames } from '../../contract/errors/conditions.ts';
import { statusOfSqlstate } from '../../contract/errors/sqlstate-status.ts';
import { allErrors, type ErrorEntry } from '../../contract/errors.ts';
import { limits } from '../../contract/limits.ts';
import { escapeHtml } from '../mail/html-writer.ts';
import { ERROR_PAGES } from './help-link.ts';
import { PLAIN_PAGE_POLICY } from './node-headers.ts';

/**
 * Matches a code that an error can have. It excludes only control characters and long texts, because an app’s functions
 * may raise any text as a code.
 */
const CODE = new RegExp(`^[^\\p{Cc}\\p{Cs}]{1,${limits.routeCharacters.default}}$`, 'u');
const SQLSTATE = /^[0-9A-Z]{5}$/;

/**
 * Returns a page of the documentation of errors, to which the Link header of an error points. It needs neither the
 * console nor internet access.
 * @param segments The decoded segments of the path, the first one empty.
 * @returns null for any other path.
 */
export function errorPageReply(segments: readonly string[]): Reply | null {
  const [, docs, errors, code] = segments;
  if (`/${docs}/${errors}` !== ERROR_PAGES || segments.length > 4) return null;
  if (code === undefined) return pageReply(200, page('Errors', allCodes()));
  if (!CODE.test(code)) {
    return pageReply(404, page('No such code', paragraph('No error has this code.') + back));
  }
  return pageReply(200, errorPage(code));
}

const pageReply = (status: number, html: string): Reply => ({
  status,
  headers: {
    'content-security-policy': PLAIN_PAGE_POLICY,
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
  },
  body: html,
});

/** Returns the page of a link to a specification that shows nothing, whatever the reason is. */
export const missingLinkReply = (): Reply =>
  pageReply(
    404,
    page('This link shows nothing', paragraph('It has ended, was withdrawn, or was never there. Ask for a new link.')),
  );

/** Returns the HTML page of one code. */
export function errorPage(code: string): string {
  const entry = Object.hasOwn(allErrors, code) ? allErrors[code] : undefined;
  if (entry) return page(code, described(code, entry));
  const status = SQLSTATE.test(code) ? foreignSqlstate(code) : null;
  return page(code, (status ?? ownCode()) + back);
}

const sources: Readonly<Record<ErrorEntry['source'], string>> = {
  ninefold: 'Ninefold',
  rest: 'Data calls, PostgREST’s code',
  auth: 'Sign-in and sessions, GoTrue’s code',
  storage: 'Files, Supabase Storage’s code',
  realtime: 'Realtime, Supabase Realtime’s code',
  functions: 'Edge functions',
  postgres: 'PostgreSQL, SQLSTATE',
};

const described = (code: string, entry: ErrorEntry): string =>
  [
    paragraph(entry.meaning, 'answer'),
    list([
      ['HTTP status', String(entry.status)],
      ...Object.entries(entry.otherStatuses ?? {}),
      ['Message', entry.message],
      ['Action', entry.action],
      ...(entry.member === null ? [] : [['Text for members', entry.member] as const]),
      ...(entry.limit ? [['Limit', entry.limit] as const] : []),
      ['From', sources[entry.source] + (entry.source === 'postgres' ? ` ${conditionNames.get(code) ?? ''}` : '')],
    ]),
    paragraph('The message of the response is more exact. Builders find the trace of the request by its x-request-id.'),
    back,
  ].join('\n');

function foreignSqlstate(code: string): string | null {
  const words = conditionClasses.get(code.slice(0, 2));
  const raised = /^PT[2-5]\d\d$/.test(code);
  if (words === undefined && !raised) return null;
  const name = conditionNames.get(code);
  const meaning = raised
    ? 'A function of the app raised this code, which chooses the HTTP status.'
    : `PostgreSQL refused the statement: ${name ? name.replaceAll('_', ' ') : 'a condition that the app defines'}.`;
  return [
    paragraph(meaning, 'answer'),
    list([
      ['HTTP status', String(statusOfSqlstate(code))],
      ...(words === undefined ? [] : [['Class', words] as const]),
      ['Action', 'Read the message, the details and the hint of the response.'],
    ]),
  ].join('\n');
}

const back = `<p><a href="${ERROR_PAGES}">All errors</a></p>`;

function allCodes(): string {
  const groups = Object.entries(sources).map(([source, title]) => {
    const rows = Object.entries(allErrors)
      .filter(([, entry]) => entry.source === source)
      .map(
        ([code, { status, meaning }]) =>
          `<tr><th scope="row"><a href="${ERROR_PAGES}/${encodeURIComponent(code)}"><code>${escapeHtml(code)}</code></a></th><td>${status}</td><td>${escapeHtml(meaning)}</td></tr>`,
      );
    return `<h2>${escapeHtml(title)}</h2><table><thead><tr><th>Code</th><th>HTTP</th><th>Meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
  });
  return `${paragraph('Every error that a node returns, with its HTTP status and its meaning.', 'answer')}${groups.join('')}`;
}

const paragraph = (text: string, kind = ''): string => `<p${kind && ` class="${kind}"`}>${escapeHtml(text)}</p>`;

const ownCode = (): string => `${paragraph('A function or a trigger of the app raised this code.', 'answer')}
${paragraph('Builders find its meaning in the console, in chapter 8, Errors, of the app’s specification.')}`;

const list = (lines: readonly (readonly [string, string])[]): string =>
  `<dl>${lines.map(([name, text]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(text)}</dd>`).join('')}</dl>`;

const STYLE = `:root{color-scheme:light dark;--paper:#fcfcfa;--ink:#16181d;--ink-2:#454850;--ink-3:#63666e;--rule:#e2e2dc;--blue:#1650bd}
@media(prefers-color-scheme:dark){:root{--paper:#141619;--ink:#e9e8e4;--ink-2:#b9bbc0;--ink-3:#979ba2;--rule:#2a2e33;--blue:#8fb3ff}}
body{margin:0;background:var(--paper);color:var(--ink);font:13px/20px system-ui,sans-serif}
main{max-width:760px;margin:0 auto;padding:40px 20px 80px}
h1{font:400 36px/40px Georgia,serif;margin:0 0 8px;overflow-wrap:anywhere}h2{font:400 17px/25px Georgia,serif;margin:32px 0 8px}
.answer{font:400 20px/29px Georgia,serif;color:var(--ink-2);margin:0 0 24px}
dl{display:grid;grid-template-columns:max-content 1fr;gap:8px 24px;margin:0 0 24px;border-top:1px solid var(--rule);padding-top:12px}
dt{color:var(--ink-3)}dd{margin:0}a{color:var(--blue)}code{font:12px/20px ui-monospace,monospace}
table{border-collapse:collapse;width:100%}th{text-align:left;font-weight:400}thead th{color:var(--ink-3)}
th,td{padding:6px 16px 6px 0;border-bottom:1px solid var(--rule);vertical-align:top}
@media(max-width:600px){dl{grid-template-columns:1fr}dd{margin-bottom:8px}}`;

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}, Ninefold</title>
<style>${STYLE}</style></head><body><main><h1>${escapeHtml(title)}</h1>
${body}
</main></body></html>
`;

import { createHash } from 'node:crypto';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { escapeHtml } from '../../mail/html-writer.ts';

const STYLE = `:root{color-scheme:light dark;--paper:#fff;--ink:#1d2330;--quiet:#5a6375;--line:#d9dde6;--first:#1f5fd0;--on-first:#fff}
@media (prefers-color-scheme:dark){:root{--paper:#14171d;--ink:#e8ebf1;--quiet:#a3abba;--line:#343a46;--first:#8ab0ff;--on-first:#10131a}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:24px;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{width:100%;max-width:400px}
h1{margin:0 0 8px;font-size:28px;line-height:1.2;font-weight:600;text-wrap:balance}
p{margin:0 0 24px;color:var(--quiet);overflow-wrap:anywhere}
button{width:100%;min-height:44px;padding:0 16px;border:0;border-radius:8px;background:var(--first);color:var(--on-first);font:inherit;font-weight:600;cursor:pointer}
button+button{margin-top:12px;background:none;border:1px solid var(--line);color:var(--ink)}
button:focus-visible{outline:2px solid var(--ink);outline-offset:2px}
footer{margin-top:24px;padding-top:16px;border-top:1px solid var(--line);font-size:14px;color:var(--quiet)}`;

const STYLE_HASH = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

/**
 * Returns the CSP directive form-action for a form whose response redirects to an address. The directive must allow
 * this address, because browsers apply it to the redirect too.
 */
function formActionTo(redirectTo: string | null): string {
  if (redirectTo === null) return `'self'`;
  const url = new URL(redirectTo);
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:';
  return `'self' ${isWeb ? url.origin : url.protocol}`;
}

/** The language of a page. */
export interface PageLanguage {
  /** BCP 47 language tag. */
  readonly code: string;
  readonly direction: 'ltr' | 'rtl';
}

/** A small page for a member: a title, a sentence, at most one form and a footer. All texts are plain text. */
export interface MemberPage {
  readonly language: PageLanguage;
  readonly title: string;
  readonly lead: string;
  readonly footer: string;
  readonly form?: PageForm;
}

export interface PageForm {
  /** The path that receives the form by POST. */
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
  /**
   * The buttons of the form. The first button is the primary one. If a button has a name, pressing it adds a field with
   * this name to the form.
   */
  readonly buttons: readonly { readonly text: string; readonly name?: string; readonly value?: string }[];
  /** The address to which the form's response redirects; null if it does not redirect. */
  readonly leadsTo: string | null;
}

function formHtml({ action, fields, buttons }: PageForm): string {
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">\n`,
  );
  const rows = buttons.map(({ text, name, value = '' }) => {
    const field = name === undefined ? '' : ` name="${name}" value="${escapeHtml(value)}"`;
    return `<button type="submit"${field}>${escapeHtml(text)}</button>\n`;
  });
  return `<form method="post" action="${action}">\n${inputs.join('')}${rows.join('')}</form>\n`;
}

/** Returns the response with a page. The page runs no script, loads nothing and cannot be framed. */
export function memberPage({ method }: Pick<CallRequest, 'method'>, page: MemberPage): Reply {
  const { code, direction } = page.language;
  const form = page.form ? formHtml(page.form) : '';
  const formAction = page.form ? formActionTo(page.form.leadsTo) : `'none'`;
  const body = `<!doctype html>
<html lang="${code}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(page.title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(page.title)}</h1>
<p>${escapeHtml(page.lead)}</p>
${form}<footer>${escapeHtml(page.footer)}</footer>
</main>
</body>
</html>
`;
  return {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-language': code,
      'cache-control': 'no-store',
      'content-security-policy': `default-src 'none'; style-src ${STYLE_HASH}; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`,
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      vary: 'accept-language',
    },
    body: method === 'HEAD' ? null : body,
  };
}

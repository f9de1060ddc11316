import { createHash } from 'node:crypto';
import type { Exchange, Reply } from '../../contract/exchange.ts';
import type { TokenUsed } from '../accounts/one-time-tokens.ts';
import type { LinkType } from './link-mails.ts';
import { languageOf, type PageText, type PageTexts, pageTexts } from './verify-words.ts';

const STYLE = `:root{color-scheme:light dark;--paper:#fff;--ink:#1d2330;--quiet:#5a6375;--line:#d9dde6;--first:#1f5fd0;--on-first:#fff}
@media (prefers-color-scheme:dark){:root{--paper:#14171d;--ink:#e8ebf1;--quiet:#a3abba;--line:#343a46;--first:#8ab0ff;--on-first:#10131a}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:24px;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{width:100%;max-width:400px}
h1{margin:0 0 8px;font-size:28px;line-height:1.2;font-weight:600;text-wrap:balance}
p{margin:0 0 24px;color:var(--quiet);overflow-wrap:anywhere}
button{width:100%;min-height:44px;padding:0 16px;border:0;border-radius:8px;background:var(--first);color:var(--on-first);font:inherit;font-weight:600;cursor:pointer}
button:focus-visible{outline:2px solid var(--ink);outline-offset:2px}
footer{margin-top:24px;padding-top:16px;border-top:1px solid var(--line);font-size:14px;color:var(--quiet)}`;

const STYLE_HASH = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] as string);

/** A source for CSP: browsers apply form-action to the redirect that answers a form. */
function sourceOf(redirectTo: string | null): string {
  if (redirectTo === null) return '';
  const url = new URL(redirectTo);
  return ` ${url.protocol === 'http:' || url.protocol === 'https:' ? url.origin : url.protocol}`;
}

function page(exchange: Exchange, text: PageText, texts: PageTexts, form = '', formAction = "'none'"): Reply {
  const { code, direction } = texts;
  const body = `<!doctype html>
<html lang="${code}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escaped(text.title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(text.title)}</h1>
<p>${escaped(text.lead)}</p>
${form}<footer>${escaped(texts.footer)}</footer>
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
    body: exchange.method === 'HEAD' ? null : body,
  };
}

/** What the page of a link sends when its button is pressed. */
export interface LinkForm {
  /** Null for an unknown type. */
  readonly type: LinkType | null;
  readonly token: string;
  /** Where the member goes then; null for an app without a site. */
  readonly redirectTo: string | null;
}

/** Returns the page of a link: a title, a sentence and a button that confirms. */
export function confirmPage(exchange: Exchange, { type, token, redirectTo }: LinkForm): Reply {
  const texts = pageTexts[languageOf(exchange.headers['accept-language'])];
  if (type === null) return page(exchange, texts.outcomes.void, texts);
  // Such a link signs in on a page of the app. Without one the code of the same mail is of use.
  const signsIn = type === 'magiclink' || type === 'recovery';
  if (signsIn && redirectTo === null) return page(exchange, texts.typeCode, texts);
  const fields = { type, token, ...(redirectTo !== null && { redirect_to: redirectTo }) };
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escaped(value)}">\n`,
  );
  const text = texts.links[type];
  const form = `<form method="post" action="/auth/v1/verify">\n${inputs.join('')}<button type="submit">${escaped(text.button)}</button>\n</form>\n`;
  return page(exchange, text, texts, form, `'self'${sourceOf(redirectTo)}`);
}

/** Returns the page that tells how the use of a link ended, for an app without a site. */
export function outcomePage(exchange: Exchange, verdict: TokenUsed['verdict']): Reply {
  const texts = pageTexts[languageOf(exchange.headers['accept-language'])];
  const outcome = verdict === 'code' ? 'used' : verdict === 'no-flow' ? 'void' : verdict;
  return page(exchange, texts.outcomes[outcome], texts);
}

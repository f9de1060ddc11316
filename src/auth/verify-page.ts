import type { Exchange, Reply } from '../../contract/exchange.ts';
import type { TokenUsed } from '../accounts/one-time-tokens.ts';
import type { LinkType } from './link-mails.ts';
import { memberPage, type PageForm } from './member-page.ts';
import { languageOf, type PageText, type PageTexts, pageTexts } from './verify-words.ts';

const page = (exchange: Exchange, { title, lead }: PageText, texts: PageTexts, form?: PageForm): Reply =>
  memberPage(exchange, { language: texts, title, lead, footer: texts.footer, ...(form && { form }) });

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
  const text = texts.links[type];
  const form = { action: '/auth/v1/verify', fields, buttons: [{ text: text.button }], leadsTo: redirectTo };
  return page(exchange, text, texts, form);
}

/** Returns the page that tells how the use of a link ended, for an app without a site. */
export function outcomePage(exchange: Exchange, verdict: TokenUsed['verdict']): Reply {
  const texts = pageTexts[languageOf(exchange.headers['accept-language'])];
  const outcome = verdict === 'code' ? 'used' : verdict === 'no-flow' ? 'void' : verdict;
  return page(exchange, texts.outcomes[outcome], texts);
}

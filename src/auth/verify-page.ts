import type { CallRequest, Reply } from '../../contract/call-request.ts';
import type { TokenUsed } from '../accounts/one-time-tokens.ts';
import type { LinkType } from './link-mails.ts';
import { memberPage, type PageForm } from './member-page.ts';
import { languageOf, type PageText, type PageTexts, pageTexts } from './verify-words.ts';

const page = (request: CallRequest, { title, lead }: PageText, texts: PageTexts, form?: PageForm): Reply =>
  memberPage(request, { language: texts, title, lead, footer: texts.footer, ...(form && { form }) });

/** The fields that the page of a link sends when its button is pressed. */
export interface LinkForm {
  /** Null for an unknown type. */
  readonly type: LinkType | null;
  readonly token: string;
  /** The address after the confirmation; null for an app without a site. */
  readonly redirectTo: string | null;
}

/** Returns the page of a link: a title, a sentence and a button that confirms. */
export function confirmPage(request: CallRequest, { type, token, redirectTo }: LinkForm): Reply {
  const texts = pageTexts[languageOf(request.headers['accept-language'])];
  if (type === null) return page(request, texts.outcomes.void, texts);
  // These links sign in on a page of the app. If the app has no page that can use the session, the member types the
  // code of the same mail.
  const signsIn = type === 'magiclink' || type === 'recovery';
  if (signsIn && redirectTo === null) return page(request, texts.typeCode, texts);
  const fields = { type, token, ...(redirectTo !== null && { redirect_to: redirectTo }) };
  const text = texts.links[type];
  const form = { action: '/auth/v1/verify', fields, buttons: [{ text: text.button }], leadsTo: redirectTo };
  return page(request, text, texts, form);
}

/** Returns the page with the result of a link, for an app without a site. */
export function outcomePage(request: CallRequest, verdict: TokenUsed['verdict']): Reply {
  const texts = pageTexts[languageOf(request.headers['accept-language'])];
  const outcome = verdict === 'code' ? 'used' : verdict === 'no-flow' ? 'void' : verdict;
  return page(request, texts.outcomes[outcome], texts);
}

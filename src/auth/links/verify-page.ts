import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import type { TokenUsed } from '../../accounts/messages/one-time-tokens.ts';
import { FIRST_ADDRESS, type LinkType } from './link-mails.ts';
import { memberPage, type PageForm } from './member-page.ts';
import { languageOf, type PageText, type PageTexts, pageTexts } from './verify-words.ts';

const page = (request: CallRequest, { title, lead }: PageText, texts: PageTexts, form?: PageForm): Reply =>
  memberPage(request, { language: texts, title, lead, footer: texts.footer, ...(form && { form }) });

/**
 * The field of a form that confirms the first address of an account: `false` removes the password of the account. The
 * page asks the owner of the address who chose the password, because it may have been another person.
 */
export const KEEP_PASSWORD = 'keep_password';

/** The fields that the page of a link sends when its button is pressed. */
export interface LinkForm {
  /** The type of the link; null for an unknown type. */
  readonly type: LinkType | null;
  readonly token: string;
  /** The address to which the member is redirected after the confirmation; null for an app without a site. */
  readonly redirectTo: string | null;
  /** True if the link confirms the first address of an anonymous account. */
  readonly isFirstAddress: boolean;
}

/** Returns the page of a link: a title, a sentence and a button that confirms. */
export function confirmPage(request: CallRequest, { type, token, redirectTo, isFirstAddress }: LinkForm): Reply {
  const texts = pageTexts[languageOf(request.headers['accept-language'])];
  if (type === null) return page(request, texts.outcomes.void, texts);
  // These links sign in on a page of the app. If the app has no page that can use the session, the member types the
  // code of the same mail.
  const signsIn = type === 'magiclink' || type === 'recovery';
  if (signsIn && redirectTo === null) return page(request, texts.typeCode, texts);
  const fields = {
    ...{ type, token },
    ...(redirectTo !== null && { redirect_to: redirectTo }),
    ...(isFirstAddress && { [FIRST_ADDRESS]: 'true' }),
  };
  const text = texts.links[type];
  const asksPassword = type === 'signup' || (type === 'email_change' && isFirstAddress);
  const { question, button } = texts.password;
  const buttons = [
    { text: text.button },
    ...(asksPassword ? [{ text: button, name: KEEP_PASSWORD, value: 'false' }] : []),
  ];
  const form = { action: '/auth/v1/verify', fields, buttons, leadsTo: redirectTo };
  const lead = asksPassword ? `${text.lead} ${question}` : text.lead;
  return page(request, { title: text.title, lead }, texts, form);
}

/** Returns the page with the result of a link, for an app without a site. */
export function outcomePage(request: CallRequest, verdict: TokenUsed['verdict']): Reply {
  const texts = pageTexts[languageOf(request.headers['accept-language'])];
  const outcome = verdict === 'code' ? 'used' : verdict === 'no-flow' ? 'void' : verdict;
  return page(request, texts.outcomes[outcome], texts);
}

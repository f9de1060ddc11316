import type { PageLanguage } from '../links/member-page.ts';
import type { Language, PageText } from '../links/verify-words.ts';

/** The texts, in one language, of the page that asks whether an account of a provider may sign in. */
export interface LinkingTexts extends PageLanguage {
  readonly title: (names: { provider: string }) => string;
  /**
   * Returns the sentence at the top of the page. `external` is the account at the provider, `member` the account of the
   * app.
   */
  readonly lead: (names: { provider: string; external: string; member: string }) => string;
  /** The words for an account that has neither an address nor a phone number. */
  readonly withoutAddress: string;
  readonly link: string;
  readonly cancel: string;
  readonly footer: string;
  /** The text of the page for a link that cannot be confirmed. */
  readonly void: PageText;
}

const english: LinkingTexts = {
  code: 'en',
  direction: 'ltr',
  title: ({ provider }) => `Link your ${provider} account?`,
  lead: ({ provider, external, member }) =>
    `The ${provider} account ${external} will be able to sign in to the account ${member} of this app.`,
  withoutAddress: 'without an address',
  link: 'Link account',
  cancel: 'Cancel',
  footer: 'If you did not ask for this in the app, or if one of the accounts is not yours, cancel.',
  void: {
    title: 'Nothing was linked',
    lead: 'This request was used already, is too old, or began in another browser. Go back to the app to link the account.',
  },
};

const german: LinkingTexts = {
  code: 'de',
  direction: 'ltr',
  title: ({ provider }) => `Konto bei ${provider} verknüpfen?`,
  lead: ({ provider, external, member }) =>
    `Mit dem Konto ${external} bei ${provider} kann man sich dann im Konto ${member} dieser App anmelden.`,
  withoutAddress: 'ohne Adresse',
  link: 'Konto verknüpfen',
  cancel: 'Abbrechen',
  footer: 'Wenn Sie das nicht in der App angefordert haben oder eines der Konten nicht Ihnen gehört, brechen Sie ab.',
  void: {
    title: 'Es wurde nichts verknüpft',
    lead: 'Die Anfrage wurde schon verwendet, ist zu alt oder kam aus einem anderen Browser. Verknüpfen Sie das Konto in der App.',
  },
};

const arabic: LinkingTexts = {
  code: 'ar',
  direction: 'rtl',
  title: ({ provider }) => `هل تريد ربط حسابك في ${provider}؟`,
  lead: ({ provider, external, member }) =>
    `سيتمكن حساب ${provider} ‏${external}‏ من تسجيل الدخول إلى الحساب ${member} في هذا التطبيق.`,
  withoutAddress: 'بدون عنوان',
  link: 'ربط الحساب',
  cancel: 'إلغاء',
  footer: 'إذا لم تطلب ذلك في التطبيق أو لم يكن أحد الحسابين لك فاختر الإلغاء.',
  void: {
    title: 'لم يتم ربط أي حساب',
    lead: 'تم استخدام هذا الطلب من قبل أو مضى عليه وقت طويل أو بدأ في متصفح آخر. عد إلى التطبيق لربط الحساب.',
  },
};

export const linkingTexts: Readonly<Record<Language, LinkingTexts>> = { en: english, de: german, ar: arabic };

import type { LinkType } from './link-mails.ts';

export interface PageText {
  readonly title: string;
  readonly lead: string;
}

/** The texts of the pages of links in one language. */
export interface PageTexts {
  readonly code: string;
  readonly direction: 'ltr' | 'rtl';
  readonly links: Readonly<Record<LinkType, PageText & { readonly button: string }>>;
  /** The question on the page who chose the password of a new account, and the text of the second button. */
  readonly password: { readonly question: string; readonly button: string };
  readonly outcomes: Readonly<Record<'used' | 'half' | 'void' | 'banned' | 'taken', PageText>>;
  readonly typeCode: PageText;
  readonly footer: string;
}

const english: PageTexts = {
  code: 'en',
  direction: 'ltr',
  links: {
    signup: {
      title: 'Confirm your e-mail address',
      lead: 'Press the button to confirm that you have made an account with this address.',
      button: 'Confirm address',
    },
    invite: {
      title: 'You are invited',
      lead: 'Press the button to accept the invitation and sign in.',
      button: 'Accept invitation',
    },
    magiclink: { title: 'Sign in', lead: 'Press the button to sign in on this device.', button: 'Sign in' },
    recovery: {
      title: 'Choose a new password',
      lead: 'Press the button to sign in. You can then choose a new password.',
      button: 'Continue',
    },
    email_change: {
      title: 'Confirm the change of address',
      lead: 'Press the button to confirm the new e-mail address of your account.',
      button: 'Confirm change',
    },
  },
  password: {
    question: 'If another person may have chosen the password of the account, confirm without the password.',
    button: 'Confirm without the password',
  },
  outcomes: {
    used: { title: 'Confirmed', lead: 'Your e-mail address is confirmed. You can close this page and sign in.' },
    half: {
      title: 'One more step',
      lead: 'We have sent a link to your other address too. Open it to complete the change.',
    },
    void: { title: 'This link no longer works', lead: 'It was used already, or it is too old. Ask for a new one.' },
    banned: { title: 'This account is locked', lead: 'Ask the people who run this app.' },
    taken: { title: 'This address is in use', lead: 'Another account has this e-mail address. Nothing was changed.' },
  },
  typeCode: { title: 'Type the code', lead: 'Go back to the app and type the code from the same mail there.' },
  footer: 'If you did not ask for this mail, close this page. Nothing will change.',
};

const german: PageTexts = {
  code: 'de',
  direction: 'ltr',
  links: {
    signup: {
      title: 'E-Mail-Adresse bestätigen',
      lead: 'Bestätigen Sie mit dem Knopf, dass Sie mit dieser Adresse ein Konto angelegt haben.',
      button: 'Adresse bestätigen',
    },
    invite: {
      title: 'Sie sind eingeladen',
      lead: 'Nehmen Sie mit dem Knopf die Einladung an und melden Sie sich an.',
      button: 'Einladung annehmen',
    },
    magiclink: { title: 'Anmelden', lead: 'Melden Sie sich mit dem Knopf auf diesem Gerät an.', button: 'Anmelden' },
    recovery: {
      title: 'Neues Passwort wählen',
      lead: 'Melden Sie sich mit dem Knopf an. Danach können Sie ein neues Passwort wählen.',
      button: 'Weiter',
    },
    email_change: {
      title: 'Neue Adresse bestätigen',
      lead: 'Bestätigen Sie mit dem Knopf die neue E-Mail-Adresse Ihres Kontos.',
      button: 'Änderung bestätigen',
    },
  },
  password: {
    question: 'Wenn jemand anderes das Passwort des Kontos gewählt haben könnte, bestätigen Sie ohne das Passwort.',
    button: 'Ohne das Passwort bestätigen',
  },
  outcomes: {
    used: {
      title: 'Bestätigt',
      lead: 'Ihre E-Mail-Adresse ist bestätigt. Sie können diese Seite schließen und sich anmelden.',
    },
    half: {
      title: 'Noch ein Schritt',
      lead: 'Auch an Ihre andere Adresse ging ein Link. Öffnen Sie ihn, um die Änderung abzuschließen.',
    },
    void: {
      title: 'Dieser Link gilt nicht mehr',
      lead: 'Er wurde schon verwendet oder ist zu alt. Fordern Sie einen neuen an.',
    },
    banned: { title: 'Dieses Konto ist gesperrt', lead: 'Wenden Sie sich an die Betreiber dieser App.' },
    taken: {
      title: 'Diese Adresse ist vergeben',
      lead: 'Ein anderes Konto hat diese E-Mail-Adresse. Es wurde nichts geändert.',
    },
  },
  typeCode: {
    title: 'Code eingeben',
    lead: 'Gehen Sie zurück zur App und geben Sie dort den Code aus derselben E-Mail ein.',
  },
  footer: 'Wenn Sie diese E-Mail nicht angefordert haben, schließen Sie diese Seite. Es ändert sich nichts.',
};

const arabic: PageTexts = {
  code: 'ar',
  direction: 'rtl',
  links: {
    signup: {
      title: 'تأكيد عنوان البريد الإلكتروني',
      lead: 'اضغط على الزر لتأكيد أنك أنشأت حسابًا بهذا العنوان.',
      button: 'تأكيد العنوان',
    },
    invite: { title: 'لديك دعوة', lead: 'اضغط على الزر لقبول الدعوة وتسجيل الدخول.', button: 'قبول الدعوة' },
    magiclink: {
      title: 'تسجيل الدخول',
      lead: 'اضغط على الزر لتسجيل الدخول على هذا الجهاز.',
      button: 'تسجيل الدخول',
    },
    recovery: {
      title: 'اختيار كلمة مرور جديدة',
      lead: 'اضغط على الزر لتسجيل الدخول، ثم يمكنك اختيار كلمة مرور جديدة.',
      button: 'متابعة',
    },
    email_change: {
      title: 'تأكيد تغيير العنوان',
      lead: 'اضغط على الزر لتأكيد عنوان البريد الإلكتروني الجديد لحسابك.',
      button: 'تأكيد التغيير',
    },
  },
  password: {
    question: 'إذا كان من الممكن أن شخصًا آخر اختار كلمة مرور الحساب، فأكد بدون كلمة المرور.',
    button: 'تأكيد بدون كلمة المرور',
  },
  outcomes: {
    used: { title: 'تم التأكيد', lead: 'تم تأكيد عنوان بريدك الإلكتروني. يمكنك إغلاق هذه الصفحة وتسجيل الدخول.' },
    half: { title: 'خطوة أخرى', lead: 'أرسلنا رابطًا إلى عنوانك الآخر أيضًا. افتحه لإكمال التغيير.' },
    void: { title: 'هذا الرابط لم يعد صالحًا', lead: 'تم استخدامه من قبل أو مضى عليه وقت طويل. اطلب رابطًا جديدًا.' },
    banned: { title: 'هذا الحساب مقفل', lead: 'تواصل مع القائمين على هذا التطبيق.' },
    taken: { title: 'هذا العنوان مستخدم', lead: 'هناك حساب آخر بهذا العنوان. لم يتغير شيء.' },
  },
  typeCode: { title: 'أدخل الرمز', lead: 'عد إلى التطبيق وأدخل هناك الرمز الموجود في الرسالة نفسها.' },
  footer: 'إذا لم تطلب هذه الرسالة فأغلق هذه الصفحة. لن يتغير شيء.',
};

/** The languages of the pages for members. */
export type Language = 'en' | 'de' | 'ar';

export const pageTexts: Readonly<Record<Language, PageTexts>> = { en: english, de: german, ar: arabic };

/** Returns the language of a page: the preferred one of Accept-Language (RFC 9110, section 12.5.4), else English. */
export function languageOf(header: string | undefined): Language {
  const wanted = (header ?? '').split(',', 20).map((part) => {
    const [tag = '', ...parameters] = part.trim().toLowerCase().split(';');
    const quality = parameters.find((one) => one.trim().startsWith('q='));
    return { language: tag.split('-')[0] ?? '', weight: quality ? Number(quality.trim().slice(2)) : 1 };
  });
  const known = wanted.filter(({ language, weight }) => Object.hasOwn(pageTexts, language) && weight > 0);
  const [best] = known.sort((a, b) => b.weight - a.weight);
  return (best?.language as Language | undefined) ?? 'en';
}

import type { ActivityWords, LanguageWords } from './words.ts';

const ignore = 'إذا لم تطلب ذلك فتجاهل هذه الرسالة، ولن يتغيّر شيء.';
const protect = 'إذا لم تكن أنت من فعل ذلك فغيّر كلمة المرور الآن وسجّل الخروج من كل الأجهزة.';
const code = 'أو اكتب هذا الرمز:';

export const ar: LanguageWords = {
  confirmation: {
    subject: 'أكّد عنوان بريدك',
    title: 'أكّد عنوان بريدك',
    text: 'لقد سجّلت بالعنوان {{ .Email }}. أكّد أن هذا العنوان لك.',
    button: 'تأكيد العنوان',
    code,
    unexpected: ignore,
  },
  invite: {
    subject: 'أنت مدعوّ',
    title: 'أنت مدعوّ',
    text: 'أنت مدعوّ إلى إنشاء حساب{{ if .SiteURL }} في {{ .SiteURL }}{{ end }}.',
    button: 'قبول الدعوة',
    code,
    unexpected: 'إذا كنت لا تعرف من دعاك فتجاهل هذه الرسالة.',
  },
  magic_link: {
    subject: 'تسجيل الدخول',
    title: 'تسجيل الدخول',
    text: 'سجّل الدخول باسم {{ .Email }} بهذا الرابط. يعمل الرابط مرة واحدة.',
    button: 'تسجيل الدخول',
    code,
    unexpected: ignore,
  },
  recovery: {
    subject: 'تعيين كلمة مرور جديدة',
    title: 'تعيين كلمة مرور جديدة',
    text: 'لقد طلبت تعيين كلمة مرور جديدة للحساب {{ .Email }}.',
    button: 'تعيين كلمة المرور',
    code,
    unexpected: ignore,
  },
  email_change: {
    subject: 'أكّد تغيير عنوان بريدك',
    title: 'أكّد تغيير عنوان بريدك',
    text: 'سيتغيّر عنوان حسابك من {{ .Email }} إلى {{ .NewEmail }}.',
    button: 'تأكيد التغيير',
    code,
    unexpected: 'إذا لم تكن أنت من طلب ذلك فلا تؤكّد التغيير، وغيّر كلمة المرور.',
  },
  reauthentication: {
    subject: '{{ .Token }} هو رمزك',
    title: 'أكّد هويتك',
    text: 'اكتب هذا الرمز للمتابعة:',
    code: '',
    unexpected: 'لا تعطِ هذا الرمز لأحد. إذا لم تطلبه فغيّر كلمة المرور.',
  },
  password_changed_notification: {
    subject: 'تم تغيير كلمة المرور',
    title: 'تم تغيير كلمة المرور',
    text: 'تم تغيير كلمة مرور الحساب {{ .Email }}، وانتهت جلساتك الأخرى.',
    unexpected: 'إذا لم تكن أنت من فعل ذلك فعيّن كلمة مرور جديدة الآن من صفحة تسجيل الدخول.',
  },
  email_changed_notification: {
    subject: 'تم تغيير عنوان بريدك',
    title: 'تم تغيير عنوان بريدك',
    text: 'تم تغيير عنوان حسابك من {{ .OldEmail }} إلى {{ .Email }}.',
    unexpected: 'إذا لم تكن أنت من فعل ذلك فاكتب الآن إلى القائمين على هذه الخدمة.',
  },
  phone_changed_notification: {
    subject: 'تم تغيير رقم هاتفك',
    title: 'تم تغيير رقم هاتفك',
    text: 'تم تغيير رقم هاتف الحساب {{ .Email }}{{ if .Phone }} إلى {{ .Phone }}{{ end }}.',
    unexpected: protect,
  },
  identity_linked_notification: {
    subject: 'أُضيفت طريقة لتسجيل الدخول',
    title: 'أُضيفت طريقة لتسجيل الدخول',
    text: 'يمكن الآن فتح حسابك {{ .Email }} بواسطة {{ .Provider }}.',
    unexpected: protect,
  },
  identity_unlinked_notification: {
    subject: 'أُزيلت طريقة لتسجيل الدخول',
    title: 'أُزيلت طريقة لتسجيل الدخول',
    text: 'لم يعد ممكنًا فتح حسابك {{ .Email }} بواسطة {{ .Provider }}.',
    unexpected: protect,
  },
  mfa_factor_enrolled_notification: {
    subject: 'أُضيف عامل تحقق ثانٍ',
    title: 'أُضيف عامل تحقق ثانٍ',
    text: 'أُضيف عامل تحقق ثانٍ ({{ .FactorType }}) إلى حسابك {{ .Email }}.',
    unexpected: protect,
  },
  mfa_factor_unenrolled_notification: {
    subject: 'أُزيل عامل تحقق ثانٍ',
    title: 'أُزيل عامل تحقق ثانٍ',
    text: 'أُزيل عامل تحقق ثانٍ ({{ .FactorType }}) من حسابك {{ .Email }}.',
    unexpected: protect,
  },
  passkey_added_notification: {
    subject: 'أُضيف مفتاح مرور',
    title: 'أُضيف مفتاح مرور',
    text: 'أُضيف مفتاح مرور{{ if .Passkey }} ({{ .Passkey }}){{ end }} إلى حسابك {{ .Email }} ويمكن الآن فتح الحساب به.',
    unexpected: protect,
  },
  passkey_removed_notification: {
    subject: 'أُزيل مفتاح مرور',
    title: 'أُزيل مفتاح مرور',
    text: 'أُزيل مفتاح مرور{{ if .Passkey }} ({{ .Passkey }}){{ end }} من حسابك {{ .Email }} ولم يعد ممكنًا فتح الحساب به.',
    unexpected: protect,
  },
  new_device_notification: {
    subject: 'تسجيل دخول جديد إلى حسابك',
    title: 'تسجيل دخول جديد إلى حسابك',
    text: 'سجّل شخص ما الدخول باسم {{ .Email }}{{ if .Device }} بواسطة {{ .Device }}{{ end }}{{ if .Address }} من العنوان {{ .Address }}{{ end }}.',
    unexpected: protect,
  },
};

export const arActivity: ActivityWords = {
  severalSubject: '{{ len .Items }} إشعارات',
  somebody: 'أحد الأعضاء',
  aRow: 'أحد العناصر',
  sentences: {
    appointment: 'TITLE{{ if .State }}: STATE{{ end }}',
    mention: 'أشار إليك WHO في: TITLE',
    assignment: 'أسند إليك WHO: TITLE',
    reference: 'إضافة من WHO إلى: TITLE',
    transition: 'حوّل WHO الحالة إلى «STATE»: TITLE',
  },
  open: 'فتح',
  choices: 'اختيار ما تريد أن تصلك إشعارات عنه',
};

import type { ActivityWords, LanguageWords } from './words.ts';

const ignore = 'Wenn Sie das nicht angefordert haben, ignorieren Sie diese Nachricht. Es ändert sich nichts.';
const protect = 'Wenn Sie das nicht waren, ändern Sie jetzt Ihr Passwort und melden Sie sich überall ab.';
const code = 'Oder geben Sie diesen Code ein:';

export const de: LanguageWords = {
  confirmation: {
    subject: 'Bestätigen Sie Ihre Adresse',
    title: 'Bestätigen Sie Ihre Adresse',
    text: 'Sie haben sich mit {{ .Email }} registriert. Bestätigen Sie, dass diese Adresse Ihnen gehört.',
    button: 'Adresse bestätigen',
    code,
    unexpected: ignore,
  },
  invite: {
    subject: 'Sie sind eingeladen',
    title: 'Sie sind eingeladen',
    text: 'Sie sind eingeladen, ein Konto anzulegen{{ if .SiteURL }}: {{ .SiteURL }}{{ end }}.',
    button: 'Einladung annehmen',
    code,
    unexpected: 'Wenn Sie nicht wissen, wer Sie einlädt, ignorieren Sie diese Nachricht.',
  },
  magic_link: {
    subject: 'Anmelden',
    title: 'Anmelden',
    text: 'Melden Sie sich mit diesem Link als {{ .Email }} an. Er funktioniert einmal.',
    button: 'Anmelden',
    code,
    unexpected: ignore,
  },
  recovery: {
    subject: 'Neues Passwort setzen',
    title: 'Neues Passwort setzen',
    text: 'Sie möchten ein neues Passwort für {{ .Email }} setzen.',
    button: 'Neues Passwort setzen',
    code,
    unexpected: ignore,
  },
  email_change: {
    subject: 'Bestätigen Sie die Änderung Ihrer Adresse',
    title: 'Bestätigen Sie die Änderung Ihrer Adresse',
    text: 'Die Adresse Ihres Kontos soll von {{ .Email }} zu {{ .NewEmail }} geändert werden.',
    button: 'Änderung bestätigen',
    code,
    unexpected: 'Wenn Sie das nicht waren, bestätigen Sie nicht und ändern Sie Ihr Passwort.',
  },
  reauthentication: {
    subject: '{{ .Token }} ist Ihr Code',
    title: 'Bestätigen Sie, dass Sie es sind',
    text: 'Geben Sie diesen Code ein, um fortzufahren:',
    code: '',
    unexpected: 'Geben Sie diesen Code niemandem. Wenn Sie ihn nicht angefordert haben, ändern Sie Ihr Passwort.',
  },
  password_changed_notification: {
    subject: 'Ihr Passwort wurde geändert',
    title: 'Ihr Passwort wurde geändert',
    text: 'Das Passwort von {{ .Email }} wurde geändert. Ihre anderen Sitzungen sind beendet.',
    unexpected:
      'Wenn Sie das nicht waren, setzen Sie jetzt ein neues Passwort. Fordern Sie es auf der Anmeldeseite an.',
  },
  email_changed_notification: {
    subject: 'Ihre Adresse wurde geändert',
    title: 'Ihre Adresse wurde geändert',
    text: 'Die Adresse Ihres Kontos wurde von {{ .OldEmail }} zu {{ .Email }} geändert.',
    unexpected: 'Wenn Sie das nicht waren, schreiben Sie jetzt den Betreibern dieses Dienstes.',
  },
  phone_changed_notification: {
    subject: 'Ihre Telefonnummer wurde geändert',
    title: 'Ihre Telefonnummer wurde geändert',
    text: 'Die Telefonnummer von {{ .Email }} wurde geändert{{ if .Phone }}: {{ .Phone }}{{ end }}.',
    unexpected: protect,
  },
  identity_linked_notification: {
    subject: 'Neuer Weg zur Anmeldung',
    title: 'Neuer Weg zur Anmeldung',
    text: 'Ihr Konto {{ .Email }} lässt sich jetzt auch mit {{ .Provider }} öffnen.',
    unexpected: protect,
  },
  identity_unlinked_notification: {
    subject: 'Ein Weg zur Anmeldung wurde entfernt',
    title: 'Ein Weg zur Anmeldung wurde entfernt',
    text: 'Ihr Konto {{ .Email }} lässt sich nicht mehr mit {{ .Provider }} öffnen.',
    unexpected: protect,
  },
  mfa_factor_enrolled_notification: {
    subject: 'Ein zweiter Faktor wurde hinzugefügt',
    title: 'Ein zweiter Faktor wurde hinzugefügt',
    text: 'Ein zweiter Faktor ({{ .FactorType }}) wurde zu Ihrem Konto {{ .Email }} hinzugefügt.',
    unexpected: protect,
  },
  mfa_factor_unenrolled_notification: {
    subject: 'Ein zweiter Faktor wurde entfernt',
    title: 'Ein zweiter Faktor wurde entfernt',
    text: 'Ein zweiter Faktor ({{ .FactorType }}) wurde von Ihrem Konto {{ .Email }} entfernt.',
    unexpected: protect,
  },
  passkey_added_notification: {
    subject: 'Ein Passkey wurde hinzugefügt',
    title: 'Ein Passkey wurde hinzugefügt',
    text: 'Ihr Konto {{ .Email }} kann jetzt mit einem neuen Passkey{{ if .Passkey }} ({{ .Passkey }}){{ end }} geöffnet werden.',
    unexpected: protect,
  },
  passkey_removed_notification: {
    subject: 'Ein Passkey wurde entfernt',
    title: 'Ein Passkey wurde entfernt',
    text: 'Ein Passkey{{ if .Passkey }} ({{ .Passkey }}){{ end }} wurde von Ihrem Konto {{ .Email }} entfernt und öffnet es nicht mehr.',
    unexpected: protect,
  },
  new_device_notification: {
    subject: 'Neue Anmeldung an Ihrem Konto',
    title: 'Neue Anmeldung an Ihrem Konto',
    text: 'Jemand hat sich als {{ .Email }} angemeldet{{ if .Device }}, mit {{ .Device }}{{ end }}{{ if .Address }}, von der Adresse {{ .Address }}{{ end }}.',
    unexpected: protect,
  },
};

export const deActivity: ActivityWords = {
  severalSubject: '{{ len .Items }} Benachrichtigungen',
  somebody: 'Jemand',
  aRow: 'ein Eintrag',
  sentences: {
    appointment: 'TITLE{{ if .State }}: STATE{{ end }}',
    mention: 'WHO hat Sie erwähnt: TITLE',
    assignment: 'WHO hat Ihnen zugeteilt: TITLE',
    reference: 'WHO hat etwas hinzugefügt: TITLE',
    transition: 'WHO hat auf „STATE“ gesetzt: TITLE',
  },
  open: 'Öffnen',
  choices: 'Wählen, worüber Sie benachrichtigt werden',
};

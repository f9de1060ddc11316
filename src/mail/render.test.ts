import { describe, expect, it } from 'vitest';
import { mailKinds, mailLanguages } from '../../contract/mails.ts';
import { defaultMailSettings, type MailSettings } from '../../contract/settings-mail.ts';
import { calendarFiles, isCalendarTime } from './appointments.ts';
import { htmlToText } from './html-to-text.ts';
import { chooseLanguage } from './language.ts';
import { type MailToRender, renderMail } from './render.ts';
import { standardTemplate } from './standard-templates.ts';
import { Template } from './template.ts';

const mail: MailToRender = {
  kind: 'confirmation',
  recipient: 'ada@example.com',
  email: 'ada@example.com',
  metadata: {},
  acceptLanguage: null,
  data: { ConfirmationURL: 'https://desk.example.com/verify?token=abc', Token: '123456' },
};
const render = (change: Partial<MailToRender> = {}, settings: Partial<MailSettings> = {}) =>
  renderMail({ ...mail, ...change }, { ...defaultMailSettings, ...settings }, 'https://desk.example.com');

describe('renderMail', () => {
  it.each(mailLanguages.flatMap((language) => mailKinds.map((kind) => [kind, language] as const)))(
    'has a standard template for %s in %s',
    (kind, language) => {
      const { subject, body } = standardTemplate(kind, language);
      const values = { Email: 'ada@example.com', Token: '123456', ConfirmationURL: 'https://desk.example.com/verify' };
      expect(new Template(subject).line(values)).not.toBe('');
      const html = new Template(body).html(values);
      expect(html).toContain(`<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">`);
      expect(html).not.toMatch(/\{\{|undefined/);
      const isFlow = !kind.endsWith('_notification');
      expect([html.includes('123456'), html.includes('desk.example.com/verify')]).toEqual([
        isFlow,
        isFlow && kind !== 'reauthentication',
      ]);
    },
  );

  it('includes link and code in the text part', () => {
    expect(render().text).toContain('Confirm address: https://desk.example.com/verify?token=abc');
    expect(render().text).toContain('123456');
    expect(render().text).not.toMatch(/[<>]/);
  });

  it('uses the language of the member, then of the request, then of the setting', () => {
    expect(render().language).toBe('en');
    expect(render({}, { mailer_language: 'ar' })).toMatchObject({
      language: 'ar',
      subject: expect.stringMatching(/[\u0600-\u06ff]/),
    });
    expect(render({ acceptLanguage: 'fr;q=0.9, de-AT;q=0.8, *' }).language).toBe('de');
    expect(render({ acceptLanguage: 'de', metadata: { locale: 'ar_EG' } }).language).toBe('ar');
    expect(render({ metadata: { locale: { evil: 1 } } }).language).toBe('en');
  });

  it('prefers the app’s own template, whether it is for all languages or for one', () => {
    const all = {
      mailer_subjects_confirmation: 'Hi {{ .Data.name }}',
      mailer_templates_confirmation: '<p>{{ .Token }}</p>',
    };
    expect(render({ metadata: { name: 'A & B' } }, all)).toMatchObject({
      subject: 'Hi A & B',
      html: '<p>123456</p>',
      template_error: null,
    });
    const some = { mailer_subjects_confirmation: { fr: 'Confirmez', de: 'Bitte' } };
    expect(render({ acceptLanguage: 'fr' }, some).subject).toBe('Confirmez');
    expect(render({ acceptLanguage: 'ar' }, some).language).toBe('ar');
  });

  it('uses the standard template if the app’s template is invalid, and reports the reason', () => {
    const broken = render({}, { mailer_templates_confirmation: '{{ if .Token }}<p>' });
    expect(broken.template_error).toMatch(/no \{\{ end \}\}/);
    expect(broken.html).toContain('https://desk.example.com/verify?token=abc');
  });
});

describe('chooseLanguage', () => {
  it.each<[string[], string | null, string]>([
    [['en', 'de'], 'de-CH', 'de'],
    [['en', 'pt-BR'], 'pt', 'pt-BR'],
    [['en', 'de'], 'de;q=0, en', 'en'],
    [['fr'], 'de', 'fr'],
    [['en', 'de'], ';;;,,de;q=x', 'en'],
  ])('chooses from the languages %j for the Accept-Language %s: %s', (available, acceptLanguage, expected) => {
    expect(chooseLanguage(available, { locale: undefined, acceptLanguage, standard: 'en' })).toBe(expected);
  });
});

describe('htmlToText', () => {
  it('keeps paragraphs, lists and links, and omits styles', () => {
    const html =
      '<head><title>x</title></head><style>p{}</style><p>One  &amp;\n two</p><ul><li>a</li><li>b</li></ul><a href="https://x.example/?a=1&amp;b=2">Go</a><br>end &#128512;';
    expect(htmlToText(html)).toBe('One & two\n\n- a\n- b\n\nGo: https://x.example/?a=1&b=2\nend 😀');
  });
});

describe('the look of the app', () => {
  it('is in the standard templates: its name, and its accent colour with text that can be read on it', () => {
    const dark = render({ data: { ...mail.data, App: 'Desk & Sons', Accent: '#1f6feb' } }).html;
    expect(dark).toContain('Desk &amp; Sons');
    expect(dark).toContain('background: #1f6feb; color: #ffffff');
    const light = render({ data: { ...mail.data, Accent: '#ffd500' } }).html;
    expect(light).toContain('background: #ffd500; color: #1b1f24');
    expect(light).not.toContain('border-bottom');
    expect(render().html).toContain('background: #1f3a5f; color: #ffffff');
  });
});

describe('appointments', () => {
  const appointment = { Uid: 'a1', Sequence: 1, Begins: '2030-12-02T09:00:00+00:00', Cancelled: false };
  const said = (language: string, data: Partial<MailToRender['data']>) =>
    render({
      kind: 'activity_notification',
      metadata: { locale: language },
      data: {
        Items: [{ Kind: 'appointment', Title: 'Room 1', URL: 'https://x.example/1', Appointment: appointment }],
        ...data,
      },
    });

  it('are said in the language and the time zone of the member, and in UTC for a time zone that is not known', () => {
    expect(said('en', { TimeZone: 'Europe/Berlin' }).text).toContain('Monday, 2 December 2030 at 10:00 CET');
    expect(said('de', { TimeZone: 'Europe/Berlin' }).text).toContain('Montag, 2. Dezember 2030 um 10:00 MEZ');
    expect(said('en', { TimeZone: 'Mars/Base' }).text).toContain('9:00 UTC');
    expect(said('en', {}).subject).toBe('Room 1');
  });

  it('are files with the sender as organizer, and whose texts cannot add lines', async () => {
    const items = [
      { Kind: 'appointment', Title: 'Room\r\nEND:VCALENDAR', URL: 'https://x.example/1', Appointment: appointment },
    ] as const;
    const [file] = await calendarFiles({ Items: items }, { name: 'A "desk"\r\nX:1', email: 'desk@example.com' });
    const lines = file?.content.replaceAll('\r\n ', '').split('\r\n') ?? [];
    expect(lines.filter((line) => /^(END:VCALENDAR|X:)/.test(line))).toEqual(['END:VCALENDAR']);
    expect(lines.find((line) => line.startsWith('ORGANIZER'))).toMatch(/:mailto:desk@example\.com$/);
    expect(await calendarFiles({}, { name: null, email: 'desk@example.com' })).toEqual([]);
  });

  it('exist for times that a calendar can have', () => {
    expect(isCalendarTime('2030-12-02T09:00:00+00:00', null)).toBe(true);
    for (const [begins, ends] of [
      ['infinity', null],
      ['10000-01-01T00:00:00+00:00', null],
      ['2030-12-02T09:00:00+00:00', '2030-12-02T08:00:00+00:00'],
    ] as const) {
      expect(isCalendarTime(begins, ends), `${begins} ${ends}`).toBe(false);
    }
  });
});

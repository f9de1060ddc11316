import type { MailData, MailItem } from '../../contract/mails.ts';

/** The last year that a calendar file can say (RFC 5545, section 3.3.4). */
const LAST_YEAR = 9999;

/** A file that a mail contains. */
export interface MailFile {
  readonly filename: string;
  readonly contentType: string;
  readonly content: string;
}

/**
 * Returns the time of an appointment in words: "Wednesday, 2 December 2026 at 10:00 – 11:00 CET".
 * @param timeZone IANA name; UTC if this Node.js does not know it.
 */
export function appointmentTime(
  { Begins, Ends }: Pick<NonNullable<MailItem['Appointment']>, 'Begins' | 'Ends'>,
  timeZone: string | undefined,
  language: string,
): string {
  const format = timeFormat(language, isTimeZone(timeZone) ? timeZone : 'UTC');
  const begins = new Date(Begins);
  return Ends === undefined ? format.format(begins) : format.formatRange(begins, new Date(Ends));
}

/** The parts of the time of an appointment. */
const PARTS: Intl.DateTimeFormatOptions = {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
};

function timeFormat(language: string, timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, { ...PARTS, timeZone });
  } catch {
    return new Intl.DateTimeFormat('en-GB', { ...PARTS, timeZone });
  }
}

/** Returns true for an IANA name of a time zone that this Node.js knows. */
export function isTimeZone(name: unknown): name is string {
  if (typeof name !== 'string') return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== null;
  } catch {
    return false;
  }
}

/** Returns true if a calendar file can say both times. PostgreSQL also has `infinity` and years after 9999. */
export const isCalendarTime = (begins: string, ends: string | null): boolean =>
  [begins, ends ?? begins].every((time) => {
    const year = new Date(time).getUTCFullYear();
    return year > 0 && year <= LAST_YEAR;
  }) &&
  (ends === null || Date.parse(ends) >= Date.parse(begins));

/**
 * Returns a calendar file for each appointment in a mail. A calendar that has the appointment replaces it, because the
 * identifier is the same and the number of the version is higher (RFC 5546, section 3.2.1 PUBLISH, 3.2.5 CANCEL).
 * @param organizer The sender of the mail.
 */
export async function calendarFiles(
  { Items = [], App }: MailData,
  organizer: { readonly name: string | null; readonly email: string },
): Promise<MailFile[]> {
  // The latest of several changes of an appointment is its state now.
  const latest = new Map(Items.flatMap((item) => (item.Appointment ? [[item.Appointment.Uid, item]] : [])));
  if (latest.size === 0) return [];
  const { default: ical, ICalCalendarMethod, ICalEventStatus } = await import('ical-generator');
  return [...latest.values()].flatMap(({ Appointment: appointment, Title, URL }, i) => {
    if (!appointment) return [];
    const method = appointment.Cancelled ? ICalCalendarMethod.CANCEL : ICalCalendarMethod.PUBLISH;
    const calendar = ical({ method, prodId: { company: 'Ninefold', product: 'Ninefold' } });
    calendar.createEvent({
      id: appointment.Uid,
      sequence: appointment.Sequence,
      start: new Date(appointment.Begins),
      ...(appointment.Ends !== undefined && { end: new Date(appointment.Ends) }),
      summary: Title ?? App ?? '',
      url: URL,
      status: appointment.Cancelled ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED,
      // A parameter of a property cannot contain quotation marks (RFC 5545, section 3.2).
      organizer: { name: (organizer.name ?? App ?? organizer.email).replaceAll('"', '’'), email: organizer.email },
    });
    return [
      {
        filename: i === 0 ? 'appointment.ics' : `appointment-${i + 1}.ics`,
        contentType: `text/calendar; charset=utf-8; method=${method}`,
        content: calendar.toString(),
      },
    ];
  });
}

import type { TemplateName } from '../../../contract/templates.ts';
import bookingResources from '../../../templates/booking/supabase/migrations/20260101000100_resources.sql';
import bookingBookings from '../../../templates/booking/supabase/migrations/20260101000200_bookings.sql';
import bookingTimes from '../../../templates/booking/supabase/migrations/20260101000300_times.sql';
import bookingDescription from '../../../templates/booking/supabase/migrations/20260101000400_description.sql';
import bookingLabels from '../../../templates/booking/supabase/migrations/20260101000500_labels.sql';
import bookingPages from '../../../templates/booking/supabase/migrations/20260101000600_pages.sql';
import bookingSeed from '../../../templates/booking/supabase/seed.sql';
import helpdeskPeople from '../../../templates/helpdesk/supabase/migrations/20260101000100_people.sql';
import helpdeskTickets from '../../../templates/helpdesk/supabase/migrations/20260101000200_tickets.sql';
import helpdeskFiles from '../../../templates/helpdesk/supabase/migrations/20260101000250_files.sql';
import helpdeskStates from '../../../templates/helpdesk/supabase/migrations/20260101000300_states.sql';
import helpdeskWork from '../../../templates/helpdesk/supabase/migrations/20260101000400_work.sql';
import helpdeskDescription from '../../../templates/helpdesk/supabase/migrations/20260101000500_description.sql';
import helpdeskLabels from '../../../templates/helpdesk/supabase/migrations/20260101000600_labels.sql';
import helpdeskNotifications from '../../../templates/helpdesk/supabase/migrations/20260101000700_notifications.sql';
import helpdeskPages from '../../../templates/helpdesk/supabase/migrations/20260101000800_pages.sql';
import helpdeskSeed from '../../../templates/helpdesk/supabase/seed.sql';
import notesNotebooks from '../../../templates/notes/supabase/migrations/20260101000100_notebooks.sql';
import notesNotes from '../../../templates/notes/supabase/migrations/20260101000200_notes.sql';
import notesPictures from '../../../templates/notes/supabase/migrations/20260101000250_pictures.sql';
import notesTags from '../../../templates/notes/supabase/migrations/20260101000300_tags.sql';
import notesFinding from '../../../templates/notes/supabase/migrations/20260101000400_finding.sql';
import notesDescription from '../../../templates/notes/supabase/migrations/20260101000500_description.sql';
import notesLabels from '../../../templates/notes/supabase/migrations/20260101000600_labels.sql';
import notesPages from '../../../templates/notes/supabase/migrations/20260101000700_pages.sql';
import type { MigrationFile } from '../sql/migrate.ts';

/**
 * The files of each template by their names in its folder, in order. Because the names are the same, the command
 * `migrate` with that folder recognises the files as applied.
 */
export const templateFiles: Readonly<Record<TemplateName, readonly MigrationFile[]>> = {
  helpdesk: [
    { name: '20260101000100_people.sql', sql: helpdeskPeople },
    { name: '20260101000200_tickets.sql', sql: helpdeskTickets },
    { name: '20260101000250_files.sql', sql: helpdeskFiles },
    { name: '20260101000300_states.sql', sql: helpdeskStates },
    { name: '20260101000400_work.sql', sql: helpdeskWork },
    { name: '20260101000500_description.sql', sql: helpdeskDescription },
    { name: '20260101000600_labels.sql', sql: helpdeskLabels },
    { name: '20260101000700_notifications.sql', sql: helpdeskNotifications },
    { name: '20260101000800_pages.sql', sql: helpdeskPages },
    { name: 'seed.sql', sql: helpdeskSeed, isSeed: true },
  ],
  booking: [
    { name: '20260101000100_resources.sql', sql: bookingResources },
    { name: '20260101000200_bookings.sql', sql: bookingBookings },
    { name: '20260101000300_times.sql', sql: bookingTimes },
    { name: '20260101000400_description.sql', sql: bookingDescription },
    { name: '20260101000500_labels.sql', sql: bookingLabels },
    { name: '20260101000600_pages.sql', sql: bookingPages },
    { name: 'seed.sql', sql: bookingSeed, isSeed: true },
  ],
  notes: [
    { name: '20260101000100_notebooks.sql', sql: notesNotebooks },
    { name: '20260101000200_notes.sql', sql: notesNotes },
    { name: '20260101000250_pictures.sql', sql: notesPictures },
    { name: '20260101000300_tags.sql', sql: notesTags },
    { name: '20260101000400_finding.sql', sql: notesFinding },
    { name: '20260101000500_description.sql', sql: notesDescription },
    { name: '20260101000600_labels.sql', sql: notesLabels },
    { name: '20260101000700_pages.sql', sql: notesPages },
  ],
};

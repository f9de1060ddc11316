/** A template for new apps: the migrations in `templates/<name>/supabase`. */
export interface TemplateEntry {
  title: string;
  /** What an app from this template does, in one sentence. */
  summary: string;
}

export const templates = {
  helpdesk: {
    title: 'Helpdesk',
    summary: 'Customers open tickets, agents take, answer and solve them, leads run the team.',
  },
  booking: {
    title: 'Booking',
    summary: 'Members book rooms, people or things, staff confirms, nothing is booked twice.',
  },
  notes: {
    title: 'Notes',
    summary: 'Private notes with tags, and notebooks that are shared by invitation.',
  },
} as const satisfies Record<string, TemplateEntry>;

export type TemplateName = keyof typeof templates;

export const templateNames = Object.keys(templates) as TemplateName[];

export const isTemplateName = (name: string): name is TemplateName => Object.hasOwn(templates, name);

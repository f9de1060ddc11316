export const mailKeys = {
  all: (ref: string) => ['mails', ref] as const,
  lists: (ref: string) => ['mails', ref, 'list'] as const,
  list: (ref: string, search: string) => ['mails', ref, 'list', search] as const,
  one: (ref: string, id: string) => ['mails', ref, 'one', id] as const,
  templates: (ref: string) => ['mails', ref, 'templates'] as const,
  preview: (ref: string, request: object) => ['mails', ref, 'preview', request] as const,
};

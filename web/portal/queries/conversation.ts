import type { PortalEntity, PortalField } from '../../../contract/portal.ts';

/** The fields of an entity whose rows are the messages of a conversation. */
export interface Conversation {
  readonly body: PortalField;
  readonly author: PortalField;
}

/** Matches names of fields that contain the author of a text. */
const AUTHOR = /author|sender|writer|member|user|person|poster|owner|(^|_)(by|from)$/i;

/**
 * Returns the body and the author if the rows that reference a row are the messages of a conversation. Returns null if
 * a row has no author, or if it has a day or a further required value, which a conversation does not show.
 * @param link The field with the reference.
 */
export function conversationOf(entity: PortalEntity, link: string): Conversation | null {
  const fields = entity.fields.filter(({ name, readable }) => readable && name !== link && !entity.key.includes(name));
  const body = fields.find(({ name, editor }) => name === entity.title_fields[0] && editor === 'long text');
  const authors = fields.filter(
    ({ name, editor }) => AUTHOR.test(name) && (editor === 'text' || editor === 'member' || editor === 'reference'),
  );
  // A stored name stays readable if the reader may not read the author's row.
  const author = authors.find(({ editor }) => editor === 'text') ?? authors[0];
  const isRecord = fields.some(
    (field) =>
      field !== body &&
      !authors.includes(field) &&
      field.editor !== 'boolean' &&
      (field.editor === 'date' || field.required),
  );
  return body && author && !isRecord ? { body, author } : null;
}

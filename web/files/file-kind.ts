/** The kinds of files that readers know by a word and an icon. */
export type FileKind = 'image' | 'video' | 'audio' | 'PDF' | 'table' | 'text' | 'archive' | 'font' | 'page' | 'file';

/** Types that no other rule covers. */
const kinds: Readonly<Record<string, FileKind>> = {
  'application/pdf': 'PDF',
  'text/csv': 'table',
  'text/tab-separated-values': 'table',
  'application/vnd.ms-excel': 'table',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'table',
  'application/vnd.oasis.opendocument.spreadsheet': 'table',
  'text/html': 'page',
  'application/xhtml+xml': 'page',
  'image/svg+xml': 'page',
  'application/json': 'text',
  'application/xml': 'text',
  'application/sql': 'text',
  'application/zip': 'archive',
  'application/gzip': 'archive',
  'application/x-gzip': 'archive',
  'application/x-zip-compressed': 'archive',
  'application/x-tar': 'archive',
  'application/x-7z-compressed': 'archive',
  'application/vnd.rar': 'archive',
};

const groups = new Set<FileKind>(['image', 'video', 'audio', 'text', 'font']);

/** Returns the kind of a content type. Pure. */
export function fileKind(contentType: string): FileKind {
  const [type = ''] = contentType.toLowerCase().split(';');
  const [group = ''] = type.trim().split('/');
  return kinds[type.trim()] ?? [...groups].find((kind) => kind === group) ?? 'file';
}

/**
 * Types that an element shows without running anything: the bytes get one of these types, whatever type the object has.
 * SVG, HTML and PDF can contain scripts, so they are not among them.
 */
const safeTypes: Readonly<Partial<Record<FileKind, readonly string[]>>> = {
  image: ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp'],
  video: ['video/mp4', 'video/webm', 'video/ogg', 'video/quicktime'],
  audio: ['audio/mpeg', 'audio/mp4', 'audio/aac', 'audio/ogg', 'audio/wav', 'audio/x-wav', 'audio/webm', 'audio/flac'],
};

/** Returns how a page can show an object of a content type itself; null if it cannot. Pure. */
export function shownAs(
  contentType: string,
): { as: 'image' | 'video' | 'audio'; type: string } | { as: 'text' } | null {
  const kind = fileKind(contentType);
  const [type = ''] = contentType.toLowerCase().split(';');
  if (kind === 'text' || kind === 'table') return type.startsWith('text/') || kind === 'text' ? { as: 'text' } : null;
  if (kind !== 'image' && kind !== 'video' && kind !== 'audio') return null;
  return safeTypes[kind]?.includes(type.trim()) ? { as: kind, type: type.trim() } : null;
}

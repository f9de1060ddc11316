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

/** Content types by the end of a name. */
const endings: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  bmp: 'image/bmp',
  svg: 'image/svg+xml',
  heic: 'image/heic',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  mp4: 'video/mp4',
  m4v: 'video/mp4',
  webm: 'video/webm',
  ogv: 'video/ogg',
  mov: 'video/quicktime',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  aac: 'audio/aac',
  ogg: 'audio/ogg',
  oga: 'audio/ogg',
  opus: 'audio/ogg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  pdf: 'application/pdf',
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  txt: 'text/plain',
  md: 'text/markdown',
  json: 'application/json',
  xml: 'application/xml',
  html: 'text/html',
  zip: 'application/zip',
  gz: 'application/gzip',
  tar: 'application/x-tar',
  '7z': 'application/x-7z-compressed',
  woff2: 'font/woff2',
  ttf: 'font/ttf',
};

/** Returns the content type of a file by the end of its name. The stored type can be another one. Pure. */
export function typeByName(name: string): string {
  const ending = /\.([^./]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return (Object.hasOwn(endings, ending) && endings[ending]) || 'application/octet-stream';
}

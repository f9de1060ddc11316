import {
  IconFile,
  IconFileMusic,
  IconFileText,
  IconFileTypePdf,
  IconFileZip,
  IconLetterCase,
  IconPhoto,
  IconTable,
  IconVideo,
  IconWorldCode,
} from '@tabler/icons-react';
import { Icon } from '../ui/icon.tsx';
import { type FileKind, fileKind } from './file-kind.ts';

const icons: Readonly<Record<FileKind, typeof IconFile>> = {
  image: IconPhoto,
  video: IconVideo,
  audio: IconFileMusic,
  PDF: IconFileTypePdf,
  table: IconTable,
  text: IconFileText,
  archive: IconFileZip,
  font: IconLetterCase,
  page: IconWorldCode,
  file: IconFile,
};

/** Icon of a content type. */
export function FileIcon({ type }: { type: string }) {
  return <Icon of={icons[fileKind(type)]} />;
}

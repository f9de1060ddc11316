/** A file that the reader chose, and its path below the folder that the reader chose with it. */
export interface ChosenFile {
  readonly file: File;
  readonly path: string;
}

/** Returns the files of a field. The browser gives the path of a file if the reader chose a folder. */
export const chosenFiles = (files: Iterable<File>): ChosenFile[] =>
  [...files].map((file) => ({ file, path: file.webkitRelativePath || file.name }));

/** Returns the files that were dropped or pasted, with those in dropped folders at every depth. */
export async function droppedFiles({ items, files }: DataTransfer): Promise<ChosenFile[]> {
  // The browser empties the list after the event, so all entries are taken before the first one is read.
  const entries = [...items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  if (entries.length === 0) return chosenFiles(files);
  return (await Promise.all(entries.map((entry) => filesOf(entry, '')))).flat();
}

async function filesOf(entry: FileSystemEntry, folder: string): Promise<ChosenFile[]> {
  const path = `${folder}${entry.name}`;
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    return [{ file, path }];
  }
  if (!isFolder(entry)) return [];
  const found: ChosenFile[] = [];
  const reader = entry.createReader();
  // A reader returns the entries in portions, and ends with an empty one.
  for (;;) {
    const portion = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (portion.length === 0) return found;
    for (const each of portion) found.push(...(await filesOf(each, `${path}/`)));
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

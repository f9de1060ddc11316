import type { FileField } from '../../contract/file-fields.ts';
import { type Refusal, refusalOf } from './accept.ts';
import type { FilesAccess } from './files-access.ts';
import { type FolderValues, newPath } from './new-path.ts';
import { removeFiles } from './object-calls.ts';
import { sendFile } from './send-file.ts';
import { PART_BYTES } from './storage-address.ts';
import { type Upload, UploadQueue } from './upload-queue.ts';

/** A field of a form that holds files. */
export interface FormFileField {
  readonly name: string;
  readonly files: FileField;
}

/** An upload that a reload of the page has ended. It continues if the reader chooses the same file. */
export interface UnfinishedUpload {
  readonly field: string;
  readonly path: string;
  readonly name: string;
  readonly size: number;
  readonly modified: number;
}

/** The record of the files of a form that the device stores. */
export interface StoredFormFiles {
  /** The objects that the form has uploaded, and their buckets. */
  readonly uploaded: readonly (readonly [path: string, bucket: string])[];
  readonly unfinished: readonly UnfinishedUpload[];
}

/** Where a form stores this. */
export interface FormFilesStore {
  readonly read: () => StoredFormFiles | null;
  readonly write: (files: StoredFormFiles | null) => void;
}

/** A file that a field does not accept. */
export interface RefusedFile {
  readonly id: number;
  readonly field: string;
  readonly file: File;
  readonly why: Refusal;
}

/** The state of the files of a form. Each change makes another value. */
export interface FormFilesState {
  readonly uploads: readonly (Upload & { readonly field: string })[];
  readonly refused: readonly RefusedFile[];
  readonly unfinished: readonly UnfinishedUpload[];
}

/**
 * The files of a form: those that it uploads, and those that it has uploaded. A stored object belongs to no row until the
 * form is saved, so the form deletes what the saved row does not name.
 */
export class FormFiles {
  readonly #access: FilesAccess;
  readonly #values: Omit<FolderValues, 'user'>;
  readonly #store: FormFilesStore | null;
  readonly #queue: UploadQueue;
  readonly #fields = new Map<string, string>();
  readonly #files = new Map<string, File>();
  readonly #uploaded: Map<string, string>;
  readonly #listeners = new Set<() => void>();
  #unfinished: readonly UnfinishedUpload[];
  #refused: readonly RefusedFile[] = [];
  #ids = 0;
  #state: FormFilesState;

  constructor(access: FilesAccess, values: Omit<FolderValues, 'user'>, store: FormFilesStore | null) {
    this.#access = access;
    this.#values = values;
    this.#store = store;
    const stored = store?.read();
    this.#uploaded = new Map(stored?.uploaded);
    this.#unfinished = stored?.unfinished ?? [];
    this.#queue = new UploadQueue({
      send: sendFile(access),
      isLost: access.isLost,
      onDone: ({ path, bucket }) => {
        this.#uploaded.set(path, bucket);
        this.#remember(this.#unfinished.filter((one) => one.path !== path));
      },
    });
    this.#state = this.#made();
    this.#queue.subscribe(() => this.#tell());
  }

  readonly get = (): FormFilesState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Uploads the files that a field accepts. A file of an unfinished upload continues it. */
  add({ name, files: field }: FormFileField, files: readonly File[]): void {
    const values = { ...this.#values, user: this.#access.folder };
    const refused = files.flatMap((file): RefusedFile[] => {
      const why = refusalOf(field, file);
      return why === null ? [] : [{ id: this.#ids++, field: name, file, why }];
    });
    this.#refused = [...this.#refused, ...refused];
    const accepted = files
      .filter((file) => !refused.some((one) => one.file === file))
      .map((file) => {
        // Only a file that is sent in parts continues where it ended.
        const known = this.#unfinished.find((one) => one.field === name && file.size > PART_BYTES && isOf(file, one));
        const path = known?.path ?? newPath(field, values, file.name);
        this.#fields.set(path, name);
        this.#files.set(path, file);
        return { file, path, bucket: field.bucket, replaces: false };
      });
    const begun = accepted.map(({ file, path }) => ({
      ...{ field: name, path, name: file.name, size: file.size, modified: file.lastModified },
    }));
    const isBegun = (one: UnfinishedUpload) => one.field === name && accepted.some(({ file }) => isOf(file, one));
    this.#remember([...this.#unfinished.filter((one) => !isBegun(one)), ...begun]);
    this.#queue.add(accepted);
  }

  /** Returns the file of this page that became an object; undefined if another page has uploaded it. */
  fileOf(path: string): File | undefined {
    return this.#files.get(path);
  }

  /** Returns paths in the order in which their files were chosen, after the paths that the form has not uploaded. */
  inOrder(paths: readonly string[]): string[] {
    const places = new Map([...this.#files.keys()].map((path, place) => [path, place]));
    return paths.toSorted((a, b) => (places.get(a) ?? -1) - (places.get(b) ?? -1));
  }

  /** Removes a finished upload from the list, because the field has its path. */
  take(id: number): void {
    this.#queue.remove(id);
  }

  retry(id: number): void {
    this.#queue.resume(id);
  }

  /** Ends an upload. */
  cancel({ id, path }: Upload): void {
    this.#remember(this.#unfinished.filter((one) => one.path !== path));
    this.#queue.remove(id);
  }

  /** Gives up an unfinished upload of an earlier page. */
  forget(path: string): void {
    this.#remember(this.#unfinished.filter((one) => one.path !== path));
    this.#tell();
  }

  dismiss(id: number): void {
    this.#refused = this.#refused.filter((one) => one.id !== id);
    this.#tell();
  }

  /** Stops the uploads, for example because the page of the form ends. They stay unfinished. */
  pause(): void {
    this.#queue.pauseAll();
  }

  /**
   * Deletes the objects that the saved row does not name: those that it named before, and those that the form has
   * uploaded and not kept.
   */
  async settle(before: readonly { bucket: string; path: string }[], kept: readonly string[]): Promise<void> {
    const named = new Map([...before.map(({ path, bucket }) => [path, bucket] as const), ...this.#uploaded]);
    for (const path of kept) named.delete(path);
    this.#end();
    await this.#delete(named);
  }

  /** Ends the uploads and deletes what the form has uploaded, because its row is not saved. */
  async discard(): Promise<void> {
    const uploaded = new Map(this.#uploaded);
    this.#end();
    await this.#delete(uploaded);
  }

  #end(): void {
    for (const { id } of this.#queue.get()) this.#queue.remove(id);
    this.#uploaded.clear();
    this.#refused = [];
    this.#unfinished = [];
    this.#store?.write(null);
    this.#tell();
  }

  async #delete(objects: ReadonlyMap<string, string>): Promise<void> {
    for (const bucket of new Set(objects.values())) {
      const paths = [...objects].flatMap(([path, of]) => (of === bucket ? [path] : []));
      // The row is saved. An object that cannot be deleted now only takes space.
      await removeFiles(this.#access, bucket, paths).catch(() => undefined);
    }
  }

  #remember(unfinished: readonly UnfinishedUpload[]): void {
    this.#unfinished = unfinished;
    this.#store?.write({ uploaded: [...this.#uploaded], unfinished });
  }

  #made(): FormFilesState {
    const uploads = this.#queue.get().map((upload) => ({ ...upload, field: this.#fields.get(upload.path) ?? '' }));
    const running = new Set(uploads.map(({ path }) => path));
    return {
      uploads,
      refused: this.#refused,
      unfinished: this.#unfinished.filter(({ path }) => !running.has(path)),
    };
  }

  #tell(): void {
    this.#state = this.#made();
    for (const listener of this.#listeners) listener();
  }
}

const isOf = ({ name, size, lastModified }: File, upload: UnfinishedUpload): boolean =>
  name === upload.name && size === upload.size && lastModified === upload.modified;

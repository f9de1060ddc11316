import { IconPaperclip, IconPhoto, IconRefresh, IconX } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { type FileField, fileNameOf } from '../../contract/file-fields.ts';
import type { PortalField } from '../../contract/portal.ts';
import { typeByName } from '../files/file-kind.ts';
import { FileTile, LocalPicture, Picture, StoredPicture } from '../files/file-tile.tsx';
import { useFilesAccess } from '../files/files-access.ts';
import type { FormFiles, FormFilesState } from '../files/form-files.ts';
import { sizeWords } from '../files/size-words.ts';
import { useFileInfo, useVisibleFiles } from '../files/use-files.ts';
import { t } from '../language/messages.ts';
import { Button } from '../ui/button.tsx';
import { pathsIn, pathsText } from './draft.ts';
import { failureWords, refusalWords } from './file-words.ts';
import styles from './files-field.module.css';
import { useFormFiles } from './form-files-context.ts';

interface FilesFieldProps {
  id: string;
  field: Pick<PortalField, 'name' | 'label'> & { files: FileField };
  /** The paths of the files, one a line. */
  value: string;
  onChange: (value: string) => void;
  describedBy: string | undefined;
  isWrong: boolean;
}

/** Control of a field that holds files: files are chosen, dropped or pasted, uploaded at once, and removed. */
export function FilesField({ id, field, value, onChange, describedBy, isWrong }: FilesFieldProps) {
  const form = useFormFiles();
  const of = useFieldFiles(form, field.name);
  const { uploads } = of;
  const box = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setIsOver] = useState(false);
  const { many } = field.files;
  const paths = pathsIn(value);
  const add = (files: Iterable<File>) => {
    const all = [...files].slice(0, many ? undefined : 1);
    if (!many) for (const upload of uploads) form.cancel(upload);
    form.add(field, all);
  };
  useTakenUploads(form, field, uploads, paths, onChange);
  usePastedFiles(box, add);
  const remove = (path: string) => {
    onChange(pathsText(paths.filter((one) => one !== path)));
    box.current?.querySelector('button')?.focus();
  };
  const hasOne = !many && paths.length + uploads.length > 0;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: The button does the same as a drop.
    <div
      ref={box}
      className={styles.box}
      data-files
      data-over={isOver || undefined}
      data-wrong={isWrong || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setIsOver(false);
        add(event.dataTransfer.files);
      }}
    >
      <div className={styles.bar}>
        <Button
          id={id}
          icon={many ? IconPhoto : IconPaperclip}
          aria-label={`${t(hasOne ? 'filesReplace' : 'filesChoose')}: ${field.label}`}
          aria-describedby={describedBy}
          onClick={() => input.current?.click()}
        >
          {t(hasOne ? 'filesReplace' : 'filesChoose')}
        </Button>
        <span className={styles.hint}>{t('filesHint', { many: many ? 'yes' : 'no' })}</span>
        <Progress uploads={uploads} count={paths.length} />
      </div>
      <input
        ref={input}
        type="file"
        hidden
        multiple={many}
        accept={field.files.types?.join(',')}
        onChange={({ currentTarget }) => {
          add(currentTarget.files ?? []);
          // The same file can be chosen again.
          currentTarget.value = '';
        }}
      />
      <FieldTiles form={form} field={field} paths={paths} of={of} onRemove={remove} />
    </div>
  );
}

/** The files of a field as tiles: those that its value names, those that are on their way, and those that it refuses. */
function FieldTiles({
  form,
  field,
  paths,
  of: { uploads, refused, unfinished },
  onRemove,
}: {
  form: FormFiles;
  field: FilesFieldProps['field'];
  paths: readonly string[];
  of: FormFilesState;
  onRemove: (path: string) => void;
}) {
  if (paths.length + uploads.length + refused.length + unfinished.length === 0) return null;
  return (
    <ul className={styles.tiles}>
      <StoredTiles form={form} bucket={field.files.bucket} paths={paths} onRemove={onRemove} />
      {uploads.map((upload) => (
        <UploadTile key={upload.id} form={form} upload={upload} />
      ))}
      {unfinished.map(({ path, name }) => (
        <FileTile
          key={path}
          path={name}
          isFaint
          picture={<Picture url={null} type={typeByName(name)} />}
          meta={t('filesUnfinished')}
          over={<Cross name={name} onClick={() => form.forget(path)} />}
        />
      ))}
      {refused.map((one) => (
        <FileTile
          key={`refused ${one.id}`}
          path={one.file.name}
          isWrong
          picture={<LocalPicture file={one.file} />}
          meta={refusalWords(field.files, one)}
          over={<Cross name={one.file.name} onClick={() => form.dismiss(one.id)} />}
        />
      ))}
    </ul>
  );
}

/** Returns the uploads and refused files of one field. */
function useFieldFiles(form: FormFiles, field: string): FormFilesState {
  const all = useSyncExternalStore(form.subscribe, form.get);
  return {
    uploads: all.uploads.filter((one) => one.field === field),
    refused: all.refused.filter((one) => one.field === field),
    unfinished: all.unfinished.filter((one) => one.field === field),
  };
}

/** Adds the paths of finished uploads to the value of the field. */
function useTakenUploads(
  form: FormFiles,
  { files: { many } }: FilesFieldProps['field'],
  uploads: FormFilesState['uploads'],
  paths: readonly string[],
  onChange: (value: string) => void,
): void {
  useEffect(() => {
    const done = uploads.filter(({ state }) => state === 'done');
    const added = done.filter(({ path }) => !paths.includes(path)).map(({ path }) => path);
    if (added.length > 0) onChange(pathsText(many ? form.inOrder([...paths, ...added]) : added.slice(-1)));
    // An upload stays in the list until the value has its path, because a form waits for the uploads in the list.
    else for (const { id } of done) form.take(id);
  });
}

/** Takes files that are pasted into the form, if the focus is not in another field with files. */
function usePastedFiles(box: React.RefObject<HTMLDivElement | null>, add: (files: Iterable<File>) => void): void {
  const latest = useRef(add);
  useEffect(() => {
    latest.current = add;
  });
  useEffect(() => {
    const form = box.current?.closest('form');
    const paste = (event: ClipboardEvent) => {
      const files = event.clipboardData?.files;
      if (event.defaultPrevented || !files?.length) return;
      const focused = document.activeElement?.closest('[data-files]') ?? form?.querySelector('[data-files]');
      if (focused !== box.current) return;
      event.preventDefault();
      latest.current(files);
    };
    form?.addEventListener('paste', paste);
    return () => form?.removeEventListener('paste', paste);
  }, [box]);
}

/** Says how many files are uploaded while some are not. */
function Progress({ uploads, count }: { uploads: FormFilesState['uploads']; count: number }) {
  const running = uploads.filter(({ state }) => state !== 'failed');
  return (
    <span className={styles.progress} role="status">
      {running.length > 0 && t('filesProgress', { done: count, count: count + running.length })}
    </span>
  );
}

/** The files that the value of the field names, as far as the reader may read them. */
function StoredTiles({
  form,
  bucket,
  paths,
  onRemove,
}: {
  form: FormFiles;
  bucket: string;
  paths: readonly string[];
  onRemove: (path: string) => void;
}) {
  const { files } = useVisibleFiles(bucket, paths);
  return paths
    .filter((path) => form.fileOf(path) !== undefined || files.some((file) => file.path === path))
    .map((path) => {
      const file = form.fileOf(path);
      return (
        <FileTile
          key={path}
          path={path}
          picture={file ? <LocalPicture file={file} /> : <StoredPicture bucket={bucket} path={path} />}
          meta={file ? sizeWords(file.size) : <StoredSize bucket={bucket} path={path} />}
          over={<Cross name={fileNameOf(path)} onClick={() => onRemove(path)} />}
        />
      );
    });
}

function StoredSize({ bucket, path }: { bucket: string; path: string }): ReactNode {
  const info = useFileInfo(bucket, path);
  return info?.size == null ? ' ' : sizeWords(info.size);
}

/** A file that is being uploaded, or whose upload has failed. */
function UploadTile({ form, upload }: { form: FormFiles; upload: FormFilesState['uploads'][number] }) {
  const { isLost } = useFilesAccess();
  const { file, state, sent, error, id } = upload;
  const percent = file.size === 0 ? 0 : Math.floor((sent / file.size) * 100);
  const isFailed = state === 'failed';
  return (
    <FileTile
      path={file.name}
      isWrong={isFailed}
      isFaint={!isFailed}
      picture={<LocalPicture file={file} />}
      meta={
        isFailed
          ? failureWords(error, isLost)
          : state === 'lost'
            ? t('filesLost')
            : state === 'paused' || state === 'waiting'
              ? t('filesWaiting')
              : t('filesSent', { percent, size: sizeWords(file.size) })
      }
      over={
        <>
          {!isFailed && (
            <progress
              className={styles.line}
              value={percent}
              max={100}
              aria-label={t('filesSending', { name: file.name })}
            />
          )}
          {(isFailed || state === 'paused') && (
            <Button
              small
              square
              className={styles.retry}
              icon={IconRefresh}
              label={t('filesRetry', { name: file.name })}
              onClick={() => form.retry(id)}
            />
          )}
          <Cross name={file.name} onClick={() => form.cancel(upload)} />
        </>
      }
    />
  );
}

/** Button on a tile that removes its file. */
function Cross({ name, onClick }: { name: string; onClick: () => void }) {
  return (
    <Button small square className={styles.cross} icon={IconX} label={t('removeOne', { name })} onClick={onClick} />
  );
}

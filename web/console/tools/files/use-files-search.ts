import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { ListOrder } from '../../queries/files/objects.ts';

/** The pages of the tool besides the objects of a bucket. */
export type FilesView = 'policies' | 'space' | 's3';

/** The parameters in the address of the page. */
export type FilesSearch = {
  bucket?: string;
  /** The open folder, with a slash at its end. */
  path?: string;
  /** Path of the object whose panel is open. */
  file?: string;
  /** Beginning of the names that the listing shows. */
  q?: string;
  /** Column of the order, after a minus sign for the descending order. */
  sort?: string;
  view?: string;
};

/** Changes of the address; undefined removes a parameter. */
export type FilesChange = { [K in keyof FilesSearch]?: FilesSearch[K] | undefined };

/** Returns what the address says, and the function that changes it. */
export function useFilesSearch(): readonly [search: FilesSearch, change: (change: FilesChange) => void] {
  const search = useSearch({ from: '/signed-in/app/$ref/files' });
  const navigate = useNavigate({ from: '/app/$ref/files' });
  const change = useCallback(
    (change: FilesChange) =>
      void navigate({
        search: (before) => {
          const after = { ...before, ...change };
          return Object.fromEntries(Object.entries(after).filter(([, value]) => value !== undefined && value !== ''));
        },
        // A folder is a step of the browser's history; a selection is not.
        replace: !('bucket' in change || 'path' in change || 'view' in change),
        resetScroll: false,
      }),
    [navigate],
  );
  return [search, change];
}

const columns = ['name', 'created_at', 'updated_at'] as const;

/** Reads the order of a listing; by name without one. Pure. */
export function readOrder(sort: string | undefined): ListOrder {
  const column = columns.find((name) => name === sort?.replace(/^-/, '')) ?? 'name';
  return { column, order: sort?.startsWith('-') ? 'desc' : 'asc' };
}

/** Writes the order that a click on a column leads to. Pure. */
export function nextSort({ column, order }: ListOrder, clicked: ListOrder['column']): string | undefined {
  // Times begin with the newest.
  const first = clicked === 'name' ? 'asc' : 'desc';
  const next = column === clicked ? (order === 'asc' ? 'desc' : 'asc') : first;
  return clicked === 'name' && next === 'asc' ? undefined : `${next === 'desc' ? '-' : ''}${clicked}`;
}

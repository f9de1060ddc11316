import { Menu } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { Button } from '../../../ui/button.tsx';
import { count } from '../../format/format.ts';
import { needsProof } from '../../queries/api-failure.ts';
import { type AuditFilter, EXPORTED, readForExport } from '../../queries/audit.ts';
import { asCsv, asJsonLines } from './audit-words.ts';

/** Saves the entries that match the filter as a file. */
export function AuditExport({ filter, isEmpty }: { filter: AuditFilter; isEmpty: boolean }) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (format: 'csv' | 'jsonl') => {
      const lines = await readForExport(filter);
      const isCsv = format === 'csv';
      const type = isCsv ? 'text/csv;charset=utf-8' : 'application/jsonl;charset=utf-8';
      const url = URL.createObjectURL(new Blob([isCsv ? asCsv(lines) : asJsonLines(lines)], { type }));
      const link = Object.assign(document.createElement('a'), {
        href: url,
        download: `${filter.ref ?? location.hostname}-audit.${format}`,
      });
      link.click();
      URL.revokeObjectURL(url);
    },
  });
  return (
    <Menu withinPortal={false} position="bottom-end" width={240}>
      <Menu.Target>
        <Button
          small
          icon={IconDownload}
          busy={isPending && 'Reading'}
          offBecause={isEmpty ? 'There is no entry.' : needsProof(error) ? null : (error?.message ?? null)}
        >
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>The newest {count(EXPORTED)} at most</Menu.Label>
        <Menu.Item onClick={() => mutate('csv')}>CSV</Menu.Item>
        <Menu.Item onClick={() => mutate('jsonl')}>JSON Lines</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

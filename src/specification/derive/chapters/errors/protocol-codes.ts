import { codesOfEveryCall } from '../../../../../contract/calls.ts';
import { bodyErrors } from '../../../../../contract/errors/bodies.ts';

/** The kinds of calls. Calls of different kinds can return different errors. */
export type CallKind =
  | 'read'
  | 'insert'
  | 'update'
  | 'delete'
  | 'function'
  | 'auth'
  | 'storage'
  | 'realtime'
  | 'functions';

const writes: readonly CallKind[] = ['insert', 'update', 'delete', 'function'];
const rows: readonly CallKind[] = ['read', 'insert', 'update', 'delete'];
const data: readonly CallKind[] = [...rows, 'function'];
const bodies: readonly CallKind[] = ['insert', 'update', 'function'];
const every: readonly CallKind[] = [...data, 'auth', 'storage', 'realtime', 'functions'];

/** Codes of the protocols and of Ninefold, with the kinds of calls that can return them. */
export const protocolCodes: readonly (readonly [kinds: readonly CallKind[], codes: readonly string[]])[] = [
  [every, codesOfEveryCall],
  [
    ['functions'],
    [
      ...[
        'function_not_found',
        'functions_off',
        'function_unauthorized',
        'function_not_started',
        'function_failed',
        'function_timeout',
      ],
      ...[
        'function_processor_exceeded',
        'function_memory_exceeded',
        'function_busy',
        'PGRST301',
        'PGRST302',
        'PGRST303',
      ],
    ],
  ],
  [bodies, ['app_storage_full']],
  [data, ['result_too_large']],
  [[...bodies, 'auth'], ['too_many_bodies']],
  [data, ['PGRST000', 'PGRST002', 'PGRST003', 'PGRST106', 'PGRST107', 'PGRST122', 'PGRST127', 'PGRST300', 'PGRST301']],
  [data, ['PGRST302', 'PGRST303', 'PGRST100', 'PGRST103', 'PGRST108', 'PGRST111', 'PGRST112', 'PGRST116', 'PGRST118']],
  [data, ['PGRST121', 'PGRST123', 'PGRST200', 'PGRST201']],
  [rows, ['PGRST205']],
  [bodies, ['PGRST102', '22P05', 'anonymous_body_too_large', 'body_too_complex']],
  [['insert', 'update'], ['PGRST204']],
  [['insert'], ['PGRST105', 'PGRST114', 'PGRST115']],
  [['update', 'delete', 'function'], ['PGRST124']],
  [['update'], ['row_changed']],
  [['function'], ['PGRST101', 'PGRST128', 'PGRST202', 'PGRST203']],
  // Every data call can run code of the app that raises these errors: a function, a trigger, a policy, a computed
  // field.
  [data, ['P0001', 'P0002', 'P0003', 'P0004', '20000', '2F005']],
  [['insert', 'function'], ['2200H']],
  [
    data,
    [
      '21000',
      '22000',
      '22003',
      '22007',
      '22008',
      '22023',
      '22P02',
      '42501',
      '42703',
      '42883',
      '42P01',
      '42P17',
      '53200',
      '53300',
      '53400',
      '54000',
    ],
  ],
  [data, ['57014', '42804', '55P03', '22012', '55000', '0A000']],
  // Every data call can return these errors, because functions, views and policies of the app can raise them.
  [
    data,
    [
      '22004',
      '22011',
      '22021',
      '22030',
      '2201E',
      '2201F',
      '2201G',
      '2203A',
      '2D000',
      '42702',
      '42809',
      '42846',
      '42P16',
    ],
  ],
  [data, ['54011', ...Object.keys(bodyErrors)]],
  [['insert'], ['42P10']],
  // Errors for filters, arguments and bodies with a value that is invalid for its type.
  [data, ['22009', '22015', '2200N', '2201B', '22025', '3F000', '42601', '42602', '42704', '54001']],
  [['insert', 'update', 'function'], ['428C9']],
  [writes, ['40001', '40P01', '23001', '23502', '23503', '23505', '23514', '23P01']],
  [bodies, ['22001']],
  [['insert', 'update'], ['44000']],
];

import { type ErrorEntry, memberTexts } from './entry.ts';

type Row = readonly [status: number, message: string, meaning: string];

/** Rare errors that the SQL in an app's functions, triggers and views can raise, by SQLSTATE. */
const rows: Readonly<Record<string, Row>> = {
  '10608': [400, 'invalid XPath expression', 'The SQL of the app has an XPath expression that cannot be read.'],
  '22014': [400, 'argument of ntile must be greater than zero', 'A function of the app asks ntile for no parts.'],
  '22016': [
    400,
    'argument of nth_value must be greater than zero',
    'A function of the app asks nth_value for a row before the first.',
  ],
  '2201W': [400, 'LIMIT must not be negative', 'A query of the app has a negative LIMIT.'],
  '2201X': [400, 'OFFSET must not be negative', 'A query of the app has a negative OFFSET.'],
  '22026': [400, 'bit strings of different sizes', 'A query of the app combines bit strings of different lengths.'],
  '2202E': [
    400,
    'array subscript error',
    'An index or the dimensions of an array or of a binary value are out of range.',
  ],
  '2202G': [400, 'TABLESAMPLE REPEATABLE parameter cannot be null', 'TABLESAMPLE in a query of the app has no seed.'],
  '2202H': [
    400,
    'sample percentage must be between 0 and 100',
    'TABLESAMPLE in a query of the app has a percentage that is out of range.',
  ],
  '22031': [
    400,
    'datetime format is not recognized',
    'A JSON path reads a date or a time from a text that is not one.',
  ],
  '22033': [
    400,
    'jsonpath array subscript is out of bounds',
    'A strict JSON path names an element that the array does not have.',
  ],
  '22034': [
    400,
    'JSON path expression must return single item',
    'A JSON path finds several values, and one is asked for.',
  ],
  '22035': [400, 'no SQL/JSON item found for specified path', 'A JSON path finds no value, and one is asked for.'],
  '22036': [
    400,
    'argument of jsonpath item method is invalid',
    'A JSON path reads a number from a value that is not a number.',
  ],
  '22038': [
    400,
    'operand of jsonpath operator is not a single numeric value',
    'A JSON path computes with a value that is not a single number.',
  ],
  '2203C': [
    400,
    'jsonpath item method can only be applied to an object',
    'A JSON path asks for the members of a value that is no object.',
  ],
  '2200M': [400, 'invalid XML document', 'A text is no well-formed XML document.'],
  '2200S': [400, 'invalid XML comment', 'A text cannot be an XML comment.'],
  '2200T': [400, 'invalid XML processing instruction', 'A name or a text cannot be an XML processing instruction.'],
  '25001': [
    500,
    'cannot run inside a transaction block',
    'The SQL of the app has a statement that no call can run, such as VACUUM, or changes the isolation level in mid-transaction.',
  ],
  '26000': [
    400,
    'prepared statement does not exist',
    'The SQL of the app names a prepared statement that does not exist.',
  ],
  '27000': [
    400,
    'tuple was already modified by an operation of a trigger',
    'A BEFORE trigger of the app changes or deletes the row that the statement writes.',
  ],
  '2BP01': [
    400,
    'cannot drop because other objects depend on it',
    'A function of the app drops something that other objects depend on.',
  ],
  '34000': [400, 'cursor does not exist', 'A function of the app names a cursor that is not open.'],
  '39000': [
    500,
    'external routine invocation exception',
    'A function of an extension failed, such as one that decrypts with a wrong key.',
  ],
  '42701': [
    400,
    'column already exists',
    'A function of the app creates a column that exists, or names a column twice.',
  ],
  '42710': [400, 'object already exists', 'A function of the app creates an object that exists, such as a policy.'],
  '42712': [400, 'table name specified more than once', 'A query of the app uses a table twice without two names.'],
  '42723': [400, 'function already exists', 'A function of the app creates a function that exists.'],
  '42725': [
    400,
    'function or operator is not unique',
    'The SQL of the app calls a function or an operator that several definitions fit.',
  ],
  '42803': [400, 'grouping error', 'A query of the app selects a column that is neither grouped nor aggregated.'],
  '42830': [
    400,
    'invalid foreign key',
    'A function of the app creates a reference to columns that have no unique constraint.',
  ],
  '42P02': [400, 'parameter does not exist', 'The SQL of the app names a parameter that has no value.'],
  '42P03': [400, 'cursor already in use', 'A function of the app opens a cursor that is open.'],
  '42P06': [400, 'schema already exists', 'A function of the app creates a schema that exists.'],
  '42P07': [400, 'relation already exists', 'A function of the app creates a table, a view or an index that exists.'],
  '42P13': [
    400,
    'invalid function definition',
    'A function of the app creates a function whose code does not fit its definition.',
  ],
  '42P19': [
    400,
    'invalid recursive query',
    'A query of the app is recursive in a form that PostgreSQL does not compute.',
  ],
  '42P22': [400, 'indeterminate collation', 'A query of the app compares texts of different collations.'],
  '54023': [
    400,
    'cannot pass more than 100 arguments to a function',
    'The SQL of the app gives a function more than 100 arguments.',
  ],
  '55P02': [
    500,
    'parameter cannot be changed',
    'A function of the app changes a setting of PostgreSQL that no session can change.',
  ],
  XX000: [
    500,
    'internal error',
    'PostgreSQL met a case that it has no code for, such as an unknown weight in setweight.',
  ],
};

const entry = ([status, message, meaning]: Row): ErrorEntry => ({
  source: 'postgres',
  status,
  message,
  meaning,
  action: 'Correct the SQL of the app, or the values that are sent to it.',
  member: memberTexts.fault,
});

/** The table above as entries of the error catalog. */
export const bodyErrors: Readonly<Record<string, ErrorEntry>> = Object.fromEntries(
  Object.entries(rows).map(([sqlstate, row]) => [sqlstate, entry(row)]),
);

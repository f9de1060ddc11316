import { expect, it } from 'vitest';
import { requestIdIn } from './request-id.ts';

it.each([
  ['2c572b22-413c-4315-b038-d72cad78301d', '2c572b22-413c-4315-b038-d72cad78301d'],
  [' req_01JD5R8W2K \n', 'req_01JD5R8W2K'],
  ['x-request-id: 2c572b22-413c-4315-b038-d72cad78301d', '2c572b22-413c-4315-b038-d72cad78301d'],
  ['tickets_title_length', null],
  ['who may select 1 ticket', null],
  ['PGRST303', null],
  ['1234567890a/../..', null],
])('requestIdIn reads the request id of %j', (query, id) => expect(requestIdIn(query)).toBe(id));

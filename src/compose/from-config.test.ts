import { expect, it } from 'vitest';
import { readConfig } from '../config/config.ts';
import { servesOwnMachineOnly } from './from-config.ts';

it.each([
  [{}, true],
  [{ NINEFOLD_HOST: '::1' }, true],
  [{ NINEFOLD_URL: 'http://localhost:9009' }, true],
  [{ NINEFOLD_HOST: '0.0.0.0' }, false],
  [{ NINEFOLD_HOST: '192.168.1.5' }, false],
  [{ NINEFOLD_DOMAIN: 'apps.example.org' }, false],
  [{ NINEFOLD_TRUST_PROXY: '1' }, false],
  [{ NINEFOLD_TRUST_PROXY: '10.0.0.0/8' }, false],
  [{ NINEFOLD_URL: 'https://127.0.0.1.example.org' }, false],
])('servesOwnMachineOnly returns for the configuration %j: %j', (env, expected) => {
  expect(servesOwnMachineOnly(readConfig(env))).toBe(expected);
});

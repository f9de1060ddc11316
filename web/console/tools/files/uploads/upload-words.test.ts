import { describe, expect, it } from 'vitest';
import { progressWords, queueWords } from './upload-words.ts';

describe('queueWords', () => {
  it('counts the uploads of each state in a fixed order', () => {
    expect(queueWords([{ state: 'failed' }, { state: 'running' }, { state: 'lost' }, { state: 'running' }])).toBe(
      '2 run, 1 waits for the network, 1 refused',
    );
  });
});

describe('progressWords', () => {
  const file = { size: 1000 };

  it('says the part and the time that is left while the rate is known', () => {
    expect(progressWords({ state: 'running', sent: 620, rate: 100, file })).toBe('62%, 4 seconds left');
    expect(progressWords({ state: 'running', sent: 620, rate: null, file })).toBe('62%');
  });

  it('says that the server stores the file after the last byte is sent', () => {
    expect(progressWords({ state: 'running', sent: 1000, rate: 100, file })).toBe('Storing');
  });

  it('says where a lost upload continues', () => {
    expect(progressWords({ state: 'lost', sent: 710, rate: 1, file })).toBe('Lost at 71%, continues there');
  });

  it('divides nothing by the size of an empty file', () => {
    expect(progressWords({ state: 'paused', sent: 0, rate: null, file: { size: 0 } })).toBe('Paused at 0%');
  });
});

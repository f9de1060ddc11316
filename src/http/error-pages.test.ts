import { describe, expect, it } from 'vitest';
import { allErrors } from '../../contract/errors.ts';
import { errorPage } from './error-pages.ts';

describe('errorPage', () => {
  it('describes the meaning and action of every code in the catalog', () => {
    const silent = Object.entries(allErrors).filter(([code, { meaning, action }]) => {
      const text = errorPage(code)
        .replaceAll('&#39;', "'")
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&#34;', '"')
        .replaceAll('&amp;', '&');
      return !text.includes(meaning) || !text.includes(action);
    });
    expect(silent.map(([code]) => code)).toEqual([]);
  });

  it('describes other SQLSTATEs by their name, class and HTTP status', () => {
    const page = errorPage('2200F');
    expect(page).toContain('zero length character string');
    expect(page).toContain('Data Exception');
    expect(page).toContain('<dd>400</dd>');
    expect(errorPage('PT402')).toContain('<dd>402</dd>');
  });

  it('refers to the app’s specification for codes that only the app defines, and escapes these codes', () => {
    expect(errorPage('TICKET_CLOSED')).toContain('chapter 8');
    const page = errorPage('<script>alert(1)</script>');
    expect(page).not.toContain('<script');
    expect(page).toContain('&lt;script&gt;');
  });

  it('treats names of Object.prototype, such as toString, as unknown codes', () => {
    expect(errorPage('constructor')).toContain('chapter 8');
  });
});

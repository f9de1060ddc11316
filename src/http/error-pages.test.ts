import { describe, expect, it } from 'vitest';
import { allErrors } from '../../contract/errors.ts';
import { errorPage } from './error-pages.ts';

describe('the page of an error', () => {
  it('says of every code of the catalogue what it means and what to do', () => {
    const silent = Object.entries(allErrors).filter(([code, { meaning, action }]) => {
      const text = errorPage(code)
        .replaceAll('&#39;', "'")
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"')
        .replaceAll('&amp;', '&');
      return !text.includes(meaning) || !text.includes(action);
    });
    expect(silent.map(([code]) => code)).toEqual([]);
  });

  it('tells other SQLSTATEs by their name and class, and their HTTP status', () => {
    const page = errorPage('2200F');
    expect(page).toContain('zero length character string');
    expect(page).toContain('Data Exception');
    expect(page).toContain('<dd>400</dd>');
    expect(errorPage('PT402')).toContain('<dd>402</dd>');
  });

  it('leads to the app for codes of its own, and shows them as text', () => {
    expect(errorPage('TICKET_CLOSED')).toContain('chapter 8');
    const page = errorPage('<script>alert(1)</script>');
    expect(page).not.toContain('<script');
    expect(page).toContain('&lt;script&gt;');
  });

  it('is not misled by names that every object has', () => {
    expect(errorPage('constructor')).toContain('chapter 8');
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readXml } from './read-xml.ts';
import { renderXml } from './write-xml.ts';

const read = (xml: string) => readXml(Buffer.from(xml));

describe('readXml', () => {
  it('reads elements, their text and references, and ignores namespaces and attributes', () => {
    const xml = `<?xml version="1.0" encoding="UTF-8"?>
<s3:Delete xmlns:s3="http://s3.amazonaws.com/doc/2006-03-01/"><Object a='>'><Key> a&amp;b&#x20;&#252; </Key></Object><Quiet/></s3:Delete>`;
    expect(read(xml)).toEqual({
      name: 'Delete',
      text: '',
      children: [
        { name: 'Object', text: '', children: [{ name: 'Key', text: ' a&b ü ', children: [] }] },
        { name: 'Quiet', text: '', children: [] },
      ],
    });
  });

  it.each([
    ['', 'nothing'],
    ['text', 'text only'],
    ['<a>', 'an open element'],
    ['<a></b>', 'another end'],
    ['</a>', 'an end only'],
    ['<a/><b/>', 'two roots'],
    ['<a/>text', 'text after the root'],
    ['<a>&b;</a>', 'an unknown entity'],
    ['<a>&</a>', 'a bare ampersand'],
    ['<a>\0</a>', 'a null character'],
    ['<a>&#0;</a>', 'a reference to a null character'],
    ['<a>&#xD800;</a>', 'a surrogate'],
    ['<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', 'a document type'],
    ['<a><!-- b --></a>', 'a comment'],
    ['<a><![CDATA[b]]></a>', 'CDATA'],
    ['<a><?b?></a>', 'a processing instruction'],
    ['<a b></a>', 'an attribute without a value'],
    ['<a></a b="c">', 'an end with an attribute'],
    [`${'<a>'.repeat(9)}${'</a>'.repeat(9)}`, 'too many levels'],
  ])('rejects %j: %s', (xml) => {
    expect(() => read(xml)).toThrow(expect.objectContaining({ code: 'MalformedXML' }));
  });

  it('rejects bytes that are no UTF-8', () => {
    expect(() => readXml(Buffer.from('<a>\xff</a>', 'latin1'))).toThrow(
      expect.objectContaining({ code: 'MalformedXML' }),
    );
  });

  it('needs a time that is linear in the length of hostile documents', () => {
    for (const text of [
      '<a '.padEnd(2_000_000, ' '),
      `<a ${'b="c" '.repeat(300_000)}`,
      '&'.repeat(2_000_000),
      '<'.repeat(2_000_000),
    ]) {
      const started = performance.now();
      expect(() => read(text)).toThrow(expect.objectContaining({ code: 'MalformedXML' }));
      expect(performance.now() - started).toBeLessThan(2000);
    }
  });

  it('reads back every text that renderXml writes, except characters that XML cannot contain', () => {
    const text = fc.string({ unit: 'binary' }).map((each) => each.replace(/[\ufffe\uffff]|\p{Cc}/gu, ''));
    fc.assert(
      fc.property(text, (key) => {
        expect(read(renderXml('A', { Key: key })).children[0]?.text).toBe(key);
      }),
    );
  });
});

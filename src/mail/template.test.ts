import { describe, expect, it } from 'vitest';
import { limits } from '../../contract/limits.ts';
import { processorTimeOf } from '../../test/support/timing.ts';
import { Template, TemplateError } from './template.ts';

const values = {
  ConfirmationURL: 'https://example.com/auth/v1/verify?token=abc&type=signup',
  SiteURL: 'https://example.com',
  TokenHash: 'a b&c',
  RedirectTo: 'https://example.com/next?a=1&b=2',
  Email: 'ada@example.com',
  Token: '123456',
  Data: { name: '<b>Ada</b>', plan: 'pro', empty: '', nested: { deep: 'yes' }, list: [1], bad: 'javascript:alert(1)' },
};
const html = (source: string) => new Template(source).html(values);

describe('Template', () => {
  it.each([
    ['<p>{{ .Email }}</p>', '<p>ada@example.com</p>'],
    ['{{.Token}}', '123456'],
    ['{{ .Data.name }}', '&lt;b&gt;Ada&lt;/b&gt;'],
    ['{{ .Data.nested.deep }}{{ .Data.missing.deep }}{{ .Nothing }}', 'yes'],
    ['{{ if .Data.plan }}a{{ else }}b{{ end }}', 'a'],
    ['{{ if .Data.empty }}a{{ else }}b{{ end }}', 'b'],
    ['{{ if eq .Data.plan "free" }}a{{ else if eq .Data.plan "x" "pro" }}b{{ else }}c{{ end }}', 'b'],
    ['{{if and .Data.plan (not .Data.empty)}}a{{end}}', 'a'],
    ['{{ if or .Data.empty (ne .Data.plan "pro") }}a{{ else }}b{{ end }}', 'b'],
    ['{{ or .Data.empty .Data.plan }}', 'pro'],
    ['{{ with .Data.nested }}{{ .deep }} {{ $.Token }}{{ end }}', 'yes 123456'],
    ['{{ index .Data "plan" }}{{ len .Data.list }}', 'pro1'],
    ['a {{- " b " -}} c', 'a b c'],
    ['{{/* nothing */}}{{ "}}" }}{{ `"` }}', '}}&#34;'],
    ['{{ if .A }}{{ if .B }}1{{ else if .C }}2{{ end }}{{ else }}3{{ end }}', '3'],
  ])('renders %s', (source, expected) => {
    expect(html(source)).toBe(expected);
  });

  it.each([
    ['<a href="{{ .ConfirmationURL }}">', `<a href="${values.ConfirmationURL.replace('&', '&amp;')}">`],
    [
      '<a href="{{ .SiteURL }}/confirm?token_hash={{ .TokenHash }}&next={{ .RedirectTo }}">',
      '<a href="https://example.com/confirm?token_hash=a%20b%26c&next=https%3A%2F%2Fexample.com%2Fnext%3Fa%3D1%26b%3D2">',
    ],
    ['<a href="{{ .Data.bad }}">', '<a href="#">'],
    ["<a href = ' {{ .Data.bad }}'>", "<a href = ' #'>"],
    [
      '<a class="x" href="{{ .Data.bad }}" title="{{ .Data.name }}">',
      '<a class="x" href="#" title="&lt;b&gt;Ada&lt;/b&gt;">',
    ],
    ['<a onclick="x({{ .Data.name }})">', '<a onclick="x()">'],
    ['<a title={{ .Data.name }}>', '<a title=bAdab>'],
    ['<style>p { color: {{ .Data.name }} }</style>{{ .Token }}', '<style>p { color: bAdab }</style>123456'],
    ['<!-- {{ .Token }} --><p>{{ .Token }}</p>', '<!--  --><p>123456</p>'],
    ['{{ if .Token }}<a href="{{ else }}<p title="{{ end }}{{ .Data.bad }}">', '<a href="#">'],
  ])('escapes a value for its position in %s', (source, expected) => {
    expect(html(source)).toBe(expected);
  });

  it('reads only own properties of the metadata', () => {
    expect(html('{{ .Data.constructor }}{{ .Data.__proto__ }}{{ .toString }}')).toBe('');
  });

  it('puts a subject on one line, without escaping', () => {
    const source = new Template('Hello {{ .Data.name }}\n{{ .Data.line }}');
    expect(source.line({ Data: { name: "O'Brien & Co", line: 'a\r\nBcc: b' } })).toBe("Hello O'Brien & Co a Bcc: b");
  });

  it('repeats a part for each item of a list, and ends a template that repeats too many', () => {
    const values = { Items: [{ Title: '<a>' }, { Title: 'b' }], App: 'Desk', None: [] };
    const source = '{{ range .Items }}{{ .Title }} of {{ $.App }};{{ end }}{{ range .None }}x{{ else }}none{{ end }}';
    expect(new Template(source).html(values)).toBe('&lt;a&gt; of Desk;b of Desk;none');
    const Many = Array.from({ length: 100 }, () => '');
    const nested = new Template('{{ range .Many }}{{ range $.Many }}{{ end }}{{ end }}');
    expect(() => nested.html({ Many })).toThrow('repeats more than 1000 items');
  });

  it.each([
    '{{ .Token',
    '{{ end }}',
    '{{ else }}',
    '{{ if .Token }}',
    '{{ if }}a{{ end }}',
    '{{ range }}a{{ end }}',
    '{{ template "x" }}',
    '{{ .Token | upper }}',
    '{{ eq .Token }}',
    '{{ (.Token }}',
    '{{ if .A }}{{ else }}{{ else }}{{ end }}',
    '{{ }}',
  ])('rejects the template %s and reports the position of the error', (source) => {
    expect(() => new Template(source)).toThrow(TemplateError);
  });

  it('limits nesting and length, and reads a hostile template quickly', () => {
    const nested = '{{ if .A }}'.repeat(limits.mailTemplateDepth.default + 1);
    expect(() => new Template(nested)).toThrow('nest too deeply');
    const long = new Template('{{ .Data.x }}'.repeat(100));
    expect(() => long.html({ Data: { x: 'x'.repeat(limits.mailCharacters.default / 50) } })).toThrow(TemplateError);
    const size = limits.settingBytes.default;
    const read = (source: string) => {
      try {
        new Template(source).html(values);
      } catch (error) {
        expect(error).toBeInstanceOf(TemplateError);
      }
    };
    const took = processorTimeOf(() => {
      read('<a '.repeat(size / 3));
      read(`<a ${' '.repeat(size)}`);
      read(`{{ ${'"\\'.repeat(size / 2)}`);
      read('<'.repeat(size));
      read(`{{ ${'(and '.repeat(300)}.A`);
    });
    expect(took).toBeLessThan(5000);
  });
});

import { expect, test } from 'vitest'
import { decodeEnvFile, parseEnvFile } from '../../../../src/config/folder/env-file.js'

test.each([
  ['KEY=sk-abc#def', 'sk-abc#def'],
  ['KEY=sk-abc #def', 'sk-abc'],
  ['KEY=sk-abc\t# a comment', 'sk-abc'],
  ['KEY=#abc', '#abc'],
  ['KEY= # a comment', ''],
  ['KEY=', ''],
  ['  KEY = a b  ', 'a b'],
  ['export KEY=abc', 'abc'],
  ['export\tKEY="a b"', 'a b'],
  ['KEY="a #b" # a comment', 'a #b'],
  ["KEY='a #b'#c", 'a #b'],
  ["KEY='C:\\new\\t'", 'C:\\new\\t'],
  ['KEY="a\\nb\\t\\"c\\" \\\\ \\$x \\d"', 'a\nb\t"c" \\ $x \\d'],
  ['KEY=`a "b" \'c\'`', 'a "b" \'c\''],
  ['KEY="-----BEGIN\nabc=\n# no comment\n-----END"', '-----BEGIN\nabc=\n# no comment\n-----END'],
  ["KEY='two\r\nlines'", 'two\nlines'],
  ['KEY=postgres://u:p#w@host/db?a=b', 'postgres://u:p#w@host/db?a=b'],
  ["KEY=it's", "it's"],
  ['KEY=a=b=', 'a=b='],
  ['KEY=one\nKEY=two', 'two'],
  ['# KEY=no\n\nKEY=yes', 'yes'],
])('reads %j', (text, value) => {
  expect(parseEnvFile(text)).toEqual({ variables: { KEY: value }, problems: [] })
})

test.each([
  ['secret without a name', [{ line: 1, reason: 'it is no NAME=value' }], {}],
  ['A=1\n1B=2\nC=3', [{ line: 2, reason: 'it is no NAME=value' }], { A: '1', C: '3' }],
  ['A="open\nB=2', [{ line: 1, reason: 'A has no closing quotation mark' }], { A: '"open', B: '2' }],
  ['A="x"y', [{ line: 1, reason: 'A has text behind its closing quotation mark' }], { A: '"x"y' }],
])('tells a line that it cannot read, and reads the others: %j', (text, problems, variables) => {
  expect(parseEnvFile(text)).toEqual({ variables, problems })
})

const text = 'KEY=schlüssel-数\r\n'
const swap = (bytes: Buffer): Buffer => Buffer.from(bytes).swap16()

test.each([
  ['UTF-8', Buffer.from(text)],
  ['UTF-8 with a byte-order mark', Buffer.from(`\uFEFF${text}`)],
  ['UTF-16 with a byte-order mark', Buffer.from(`\uFEFF${text}`, 'utf16le')],
  ['UTF-16 without one', Buffer.from(text, 'utf16le')],
  ['UTF-16 of the other order', swap(Buffer.from(`\uFEFF${text}`, 'utf16le'))],
  ['UTF-16 of the other order without a mark', swap(Buffer.from(text, 'utf16le'))],
])('reads a file in %s', (_encoding, bytes) => {
  expect(parseEnvFile(decodeEnvFile(bytes)).variables).toEqual({ KEY: 'schlüssel-数' })
})

test('reads empty files', () => {
  for (const bytes of [Buffer.alloc(0), Buffer.from('\n'), Buffer.from('a')])
    expect(decodeEnvFile(bytes)).toHaveLength(bytes.length)
})

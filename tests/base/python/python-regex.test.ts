import { expect, test } from 'vitest'
import { pythonRegex } from '../../../base/python/python-regex.js'

const matches = (pattern: string, text: string): readonly string[] =>
  Array.from(text.matchAll(pythonRegex(pattern, 'g')), match => match[0])

test.each([
  ['letters of all scripts are word characters', '\\w+', 'naïve 日本', ['naïve', '日本']],
  ['and so a word ends after them', '\\bna\\b', 'na naïve', ['na']],
  ['digits of all scripts are digits', '\\d+', '٢٣ 42', ['٢٣', '42']],
  ['escapes that Unicode mode refuses mean the character', '\\-?\\"\\#', '-"#', ['-"#']],
  ['an end matches before a last line feed', 'a$', 'a\n', ['a']],
  ['and \\Z does not', 'a\\Z', 'a\n', []],
  ['a flag at the front counts for all', '(?i)yes', 'YES', ['YES']],
  ['a dot stops at a line feed alone', 'a.b', 'a\rb a\nb', ['a\rb']],
  ['with (?s) it does not stop', '(?s)a.b', 'a\nb', ['a\nb']],
  ['with (?m) lines begin and end', '(?m)^b$', 'a\nb\nc', ['b']],
  ['groups have Python names', '(?P<x>a)(?P=x)', 'aa', ['aa']],
  ['a quantifier may lack its lower end', 'a{,2}b', 'aab', ['aab']],
  ['braces that are no quantifier are themselves', '{a}', '{a}', ['{a}']],
  ['a class may hold a negated set', '[\\W_]+', 'a_-b', ['_-']],
  ['and be negated itself', '[^\\W\\d]+', '1ab-', ['ab']],
  ['a bracket that comes first in a class is a member', '[]a]+', 'a]', ['a]']],
  ['a range stays a range', '[a-c\\-]+', 'abc-d', ['abc-']],
])('%s', (_sentence, pattern, text, expected) => {
  expect(matches(pattern, text)).toEqual(expected)
})

test('what JavaScript has not is refused', () => {
  expect(() => pythonRegex('(?x) a b')).toThrow(SyntaxError)
  expect(() => pythonRegex('[a')).toThrow(SyntaxError)
  expect(() => pythonRegex('(?>a)')).toThrow(SyntaxError)
})

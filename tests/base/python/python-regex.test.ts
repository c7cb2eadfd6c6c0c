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

test.each([
  ['a group may ignore case', '(?i:the) Answer', 'THE Answer the answer', ['THE Answer']],
  ['a class in it, too', '(?i:[a-c]+)x', 'aBCx', ['aBCx']],
  ['and a negated one', '(?i:[^a])', 'aAb', ['b']],
  ['letters with three forms are all meant', '(?i:k)', 'kK\u212a', ['k', 'K', '\u212a']],
  ['a group may see case again', '(?i)a(?-i:b)', 'Ab AB', ['Ab']],
  ['a group may have a dot for all', 'a(?s:.)b.', 'a\nbc', ['a\nbc']],
  ['a group may have lines', '(?m:^b$)', 'a\nb', ['b']],
  ['spaces and comments of (?x) are nothing', '(?x) a \\  b # c\n [ ] c', 'a b c', ['a b c']],
  ['also in a group', '(?x: a b )c d', 'abc d', ['abc d']],
  ['(?a) leaves ASCII', '(?a)\\w+', 'na\u00efve', ['na', 've']],
  ['(?ai) knows the cases of ASCII alone', '(?ai)[k\u00e9]', 'K\u212a\u00e9\u00c9', ['K', '\u00e9']],
  ['a comment is nothing', 'a(?#b)c', 'ac', ['ac']],
  ['a possessive quantifier gives nothing back', 'a++a', 'aaa', []],
  ['and takes all it can', '"[^"]*+"', '"ab" "c"', ['"ab"', '"c"']],
  ['a bounded one', 'a{1,2}+a', 'aaa aa', ['aaa']],
  ['an atomic group gives nothing back', '(?>a|ab)c', 'abc ac', ['ac']],
  ['and may be repeated', '(?>ab?)+c', 'ababc', ['ababc']],
  ['a code in hexadecimal is one character', '\\x41+\\u00e9', 'AA\u00e9', ['AA\u00e9']],
])('%s', (_sentence, pattern, text, expected) => {
  expect(matches(pattern, text)).toEqual(expected)
})

test('groups keep their numbers and names beside atomic groups', () => {
  const pattern = pythonRegex('(?>(x)|y)++(?P<name>a)(b)\\3', 'g')
  const [match] = 'xyabb'.matchAll(pattern)
  expect([...(match ?? [])]).toEqual(['xyabb', undefined, 'a', 'b'])
  expect(match?.groups).toEqual({ name: 'a' })
  expect('xyabb!'.replace(pattern, '$2')).toBe('a!')
})

test.each([
  ['[a', 'unterminated character class'],
  ['(a', 'a group is not closed'],
  ['a)', 'a closing bracket has no opening one'],
  ['(a)?(?(1)b|c)', 'conditional groups, (?(1)…|…), are not supported; write both cases with |'],
  ['a(?i)b', 'must stand at its start; write (?i:…) for a part'],
  ['(a)(?i:\\1)', 'a reference to a group in (?i:…) is not supported; write (?i) at the start'],
  ['(?<=a++)b', 'in a lookbehind are not supported; leave out (?>…) or the +'],
  ['(a)\\2', 'there is no group 2'],
])('rejects %s and says what to write instead', (pattern, message) => {
  expect(() => pythonRegex(pattern)).toThrow(SyntaxError)
  expect(() => pythonRegex(pattern)).toThrow(message)
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { displayWidth } from '../../../../../src/present/text/layout/width.js'
import { wrapLine } from '../../../../../src/present/text/layout/wrap.js'

test('keeps a line that fits, or that no screen shows', () => {
  expect(wrapLine('a   b', 5)).toEqual(['a   b'])
  expect(wrapLine('word '.repeat(100), Infinity)).toEqual(['word '.repeat(100)])
})

test('breaks a line between its facts, and continues below the first', () => {
  expect(wrapLine('  model   ███░░ 5/20   100.0/s   failed 1 (timeout 1)   15 s left', 40)).toEqual([
    '  model   ███░░ 5/20   100.0/s',
    '          failed 1 (timeout 1)',
    '          15 s left',
  ])
})

test('a text after a label keeps its distance if it is only slightly too long', () => {
  expect(wrapLine('a   b cd efg hij klm', 20)).toEqual(['a   b cd efg hij klm'])
  expect(wrapLine('a   b cd efg hij klmn', 20)).toEqual(['a   b cd efg hij', '    klmn'])
})

test('breaks a sentence between words', () => {
  expect(wrapLine('note: the file has no docs of the split test, so that nothing is asked', 30)).toEqual([
    'note: the file has no docs of',
    '  the split test, so that',
    '  nothing is asked',
  ])
})

test('keeps facts with dots between them together', () => {
  expect(wrapLine('  10 answers at 3.3/s · p50 0.31 s · p90 0.52 s', 40)).toEqual([
    '  10 answers at 3.3/s · p50 0.31 s ·',
    '    p90 0.52 s',
  ])
})

test('marks a broken command as continued', () => {
  expect(wrapLine('interrupted: 6 of 9 answered, all kept.   resume:  pipeline resume calm-heron-19c2', 60)).toEqual([
    'interrupted: 6 of 9 answered, all kept.',
    '  resume:  pipeline resume calm-heron-19c2',
  ])
  expect(wrapLine("next:  pipeline eval --tasks 'a b' --model openai --store /some/where", 40)).toEqual([
    'next:',
    "  pipeline eval --tasks 'a b' \\",
    '    --model openai --store /some/where',
  ])
})

test('no line exceeds the screen unless a word does, and no word is lost', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', '–', '·', ':', '(', '形'), minLength: 1, maxLength: 8 })
  const gap = fc.constantFrom(' ', ' ', '   ', '          ')
  fc.assert(
    fc.property(fc.array(fc.tuple(word, gap), { minLength: 1 }), fc.integer({ min: 20, max: 50 }), (words, columns) => {
      const line = words.flat().join('').trimEnd()
      const lines = wrapLine(line, columns)
      for (const one of lines) expect(displayWidth(one)).toBeLessThanOrEqual(columns)
      expect(lines.join(' ').split(/ +/).filter(Boolean)).toEqual(line.split(/ +/).filter(Boolean))
    }),
  )
})

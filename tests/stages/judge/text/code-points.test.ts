import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codePointCount, codePointDistance, stripCharacter } from '../../../../stages/judge/text/code-points.js'

test.each([
  ['', '', 0],
  ['kitten', 'sitting', 3],
  ['😀', '😃', 1],
  ['a😀b', 'ab', 1],
  ['\ud83d', '😀', 1],
])('the distance between %j and %j is %i code points', (a, b, distance) => {
  expect(codePointDistance(a, b)).toBe(distance)
})

test('a common beginning or end does not change the distance of two texts', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '😀'), maxLength: 8 })
  fc.assert(
    fc.property(text, text, text, text, (a, b, before, behind) => {
      expect(codePointDistance(`${before}${a}${behind}`, `${before}${b}${behind}`)).toBe(codePointDistance(a, b))
    }),
  )
  const long = 'ab'.repeat(5_000_000)
  expect(codePointDistance(`${long}x${long}`, `${long}yz${long}`)).toBe(2)
})

test('counts a pair of surrogates once, and a lone surrogate, too', () => {
  expect(codePointCount('a😀\ud83d')).toBe(3)
})

test('distances are a metric, and at most the length of the longer text', () => {
  const text = fc.string({ unit: 'binary', maxLength: 12 })
  fc.assert(
    fc.property(text, text, text, (a, b, c) => {
      expect(codePointDistance(a, a)).toBe(0)
      expect(codePointDistance(a, b)).toBe(codePointDistance(b, a))
      expect(codePointDistance(a, c)).toBeLessThanOrEqual(codePointDistance(a, b) + codePointDistance(b, c))
      expect(codePointDistance(a, b)).toBeLessThanOrEqual(Math.max(codePointCount(a), codePointCount(b)))
    }),
  )
})

test('strips a character from both ends, however often it is repeated', () => {
  expect(stripCharacter('..a.b...', '.')).toBe('a.b')
  expect(stripCharacter('...', '.')).toBe('')
})

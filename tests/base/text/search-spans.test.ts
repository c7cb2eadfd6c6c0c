import fc from 'fast-check'
import { expect, it } from 'vitest'
import { findSearchSpans, startAtMatch } from '../../../base/text/search-spans.js'

const marked = (text: string, search: string): readonly string[] =>
  findSearchSpans(text, search).map(([start, end]) => text.slice(start, end))

it.each([
  ['a purple bus, and PURPLE cars', 'purple', ['purple', 'PURPLE']],
  ['colours of the colour', 'col', ['colours', 'colour']],
  ['an ant and a pan', 'an', ['an']],
  ['the red car, a car that is red', '"red car"', ['red car']],
  ['red and green', 'green red', ['red', 'green']],
  ['red and green', 'red -green', ['red']],
  ['Café au lait', 'cafe', ['Café']],
  ['答案是红色的', '红色', ['红色']],
  ['คำตอบคือสีแดง', 'สีแดง', ['สีแดง']],
  ['x => y', '=>', ['=>']],
  ['a concatenated word', 'caten', ['caten']],
  ['C++ (2011)', 'c++', ['C']],
  ['nothing here', 'purple', []],
  ['anything', '', []],
  ['anything', '-any', []],
  ['😀 purple 😀', 'purple', ['purple']],
] as const)('in %j the search %j marks %j', (text, search, spans) => {
  expect(marked(text, search)).toEqual(spans)
})

it('finds whatever is cut out of a text as a phrase of its words', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('red', 'Grün', '赤', '7', 'ab', 'abc'), { minLength: 1 }),
      fc.nat(),
      (words, at) => {
        const word = words[at % words.length] ?? ''
        expect(marked(words.join(' '), word).length).toBeGreaterThan(0)
      },
    ),
  )
})

it('begins a long text shortly before its first match, with a whole word', () => {
  const text = 'Question number 12 about colours. Choose one of red, green, blue, purple'
  expect(startAtMatch(text, 'purple')).toBe('…blue, purple')
  expect(startAtMatch(text, 'number')).toBe(text)
  expect(startAtMatch(text, 'yellow')).toBe(text)
  expect(startAtMatch(`${'x'.repeat(50)}.purple`, 'purple')).toBe(`…${'x'.repeat(9)}.purple`)
})

it('begins with a whole character', () => {
  expect(startAtMatch(`${'😀'.repeat(20)}x purple`, 'purple')).not.toMatch(/^…[\uDC00-\uDFFF]/)
})

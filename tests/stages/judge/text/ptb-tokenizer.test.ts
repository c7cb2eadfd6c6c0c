import fc from 'fast-check'
import { expect, test } from 'vitest'
import { automaton } from '../../../../stages/judge/text/ptb/automaton.js'
import { readPattern } from '../../../../stages/judge/text/ptb/automaton.js'
import { ptbTokens } from '../../../../stages/judge/text/ptb/ptb-tokenizer.js'
import { goldenRows } from '../../../support/golden.js'

interface Row {
  readonly id: string
  readonly input: { readonly line: string; readonly next: string }
  readonly expected: { readonly raw: string }
}

test('tokenizes random lines as the Stanford tokenizer does', () => {
  const rows = goldenRows<Row>('metrics/ptb_random.jsonl.gz')
  for (const { id, input, expected } of rows) {
    expect([id, ptbTokens(input.line, `\n${input.next}\n`).join(' ')]).toEqual([id, expected.raw])
  }
  expect(rows.length).toBe(2500)
})

test.each([
  ["A man isn't riding; it's (mostly) o'clock.", "a man is n't riding ; it 's -lrb- mostly -rrb- o'clock ."],
  ['“Hi,” she said — 5’10", £5 & 1/2', "`` hi , '' she said -- 5 ' 10 '' , # 5 & 1/2"],
  ["I cannot go, gonna try; 'twas fun", "i can not go , gon na try ; 't was fun"],
  ['Mr. X of Foo Inc. met the U.S. team', 'mr. x of foo inc. met the u.s. team'],
  ['😀 a\rdog\u2028runs', 'a dog runs'],
  ['ΣΑΣ ΣΑΣहिन्दी ΣΑΣ-ト ios-Σ ΑΣ12Α ΑΣ.Α', 'σας σαςहिन्दी σας-ト ios-ς ασ12α ασ.α'],
  ['', ''],
])('tokenizes %j as %j', (line, tokens) => {
  expect(ptbTokens(line).join(' ')).toBe(tokens)
})

test('any line has tokens, and none is empty or contains a space', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), line => {
      for (const token of ptbTokens(line)) expect(token).toMatch(/^[^ ]+$/)
    }),
  )
})

test('patterns match like regular expressions, as far as they are supported', () => {
  const sources = ['a(b|bc)*', '[a-c]{2,3}', '(ab?c|c)+', 'x?[^x]+']
  const automatons = sources.map(source => automaton([readPattern(source)], () => false))
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'x'), maxLength: 12 }), text => {
      sources.forEach((source, i) => {
        const whole = new RegExp(`^(?:${source})$`)
        const lengths = Array.from(text, (_, at) => at + 1).filter(length => whole.test(text.slice(0, length)))
        expect(automatons[i]!.search(text)(0)?.end).toBe(lengths.at(-1))
        expect(automatons[i]!.ends(text, 0, text.length)).toEqual(lengths)
      })
    }),
  )
})

test('a search that failed at other positions finds the same as a new one', () => {
  const both = automaton(['[ab]*c', 'a|b', 'ab(a|b)*x'].map(readPattern), () => false)
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'x'), maxLength: 20 }), text => {
      const search = both.search(text)
      for (let at = 0; at < text.length; at++) expect(search(at)).toEqual(both.search(text)(at))
    }),
  )
})

test('the first pattern wins among equally long matches, in any letter case', () => {
  const two = automaton(['mr', '[A-Z][a-z]'].map(readPattern), () => false)
  expect(two.search('MR')(0)).toEqual({ pattern: 0, end: 2 })
  expect(two.search('Mr')(0)).toEqual({ pattern: 0, end: 2 })
  expect(two.search('Ms')(0)).toEqual({ pattern: 1, end: 2 })
  expect(two.search('ms')(0)).toBeUndefined()
})

test.each(['(a', 'a)', '[a', '*a'])('rejects the pattern %s', source => {
  expect(() => readPattern(source)).toThrow(source)
})

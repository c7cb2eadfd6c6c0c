import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type TokenPlaces,
  tokenStarts,
} from '../../../../../../stages/model/backends/openai/completions/token-starts.js'

const startsOf = (tokens: readonly (string | undefined)[], text: string, places: Partial<TokenPlaces> = {}) =>
  tokenStarts(tokens, text, { boundary: 0, mayGoOn: true, ...places })

const offsetsOf = (tokens: readonly string[]): number[] => {
  let at = 0
  return tokens.map(token => {
    const start = at
    at += Array.from(token).length
    return start
  })
}

test('converts offsets in code points to positions in the text', () => {
  const tokens = ['🎈🎈', ' red', ' 你好', '!']
  expect(startsOf(tokens, tokens.join(''), { offsets: offsetsOf(tokens) })).toEqual([0, 4, 8, 11])
})

test('a BOS token that is in the offsets but not in the text shifts nothing', () => {
  const tokens = ['<s>', 'The', ' sky']
  expect(startsOf(tokens, 'The sky', { offsets: offsetsOf(tokens) })).toEqual([undefined, 0, 3])
  expect(startsOf(['[gMASK]', '<sop>', 'The', ' sky'], 'The sky')).toEqual([undefined, undefined, 0, 3])
  expect(startsOf(['', 'The', ' sky'], 'The sky', { offsets: [0, 0, 3] })).toEqual([undefined, 0, 3])
})

test('a BOS token that is in the text is part of it', () => {
  expect(startsOf(['<s>', 'The', ' sky'], '<s>The sky', { offsets: [0, 3, 6] })).toEqual([0, 3, 6])
})

describe('finds tokens in the text if the offsets are unusable', () => {
  test.each([
    ['as they stand there', ['The', ' sky', ' is'], 'The sky is', [0, 3, 7]],
    ['without the space before them', ['The', 'sky', 'is'], 'The sky is', [0, 3, 7]],
    ['with a space before the text', [' The', ' sky'], 'The sky', [0, 3]],
    ['pieces of a character', ['A', '�', '�', ' b'], 'A🎈 b', [0, 1, 1, 3]],
    ['bytes by name', ['A', '<0xF0>', '<0x9F>', '<0x8E>', '<0x88>', 'b'], 'A🎈b', [0, 1, 1, 1, 1, 3]],
    ['nothing but for the last piece of a character', ['A', '', '', '🎈', 'b'], 'A🎈b', [0, 1, 1, 1, 3]],
    ['an unknown word', ['the', '<unk>', ' end'], 'the ☃ end', [0, 3, 5]],
    ['an end of text after it', ['The', ' sky', '</s>'], 'The sky', [0, 3, 7]],
  ])('%s', (_, tokens, text, starts) => {
    expect(startsOf(tokens, text, { offsets: tokens.map(() => -1) })).toEqual(starts)
    expect(startsOf(tokens, text)).toEqual(starts)
  })
})

describe('recognizes byte tokens by number and by name', () => {
  const balloon = ['�', '�', '�', '�']
  test.each([
    ['two characters', ['A', ...balloon, ...balloon, 'b'], 'A🎈🎈b', [0, 1, 1, 1, 1, 3, 3, 3, 3, 5]],
    ['a line feed among them', ['A', ...balloon, '<0x0A>', 'b'], 'A🎈\nb', [0, 1, 1, 1, 1, 3, 4]],
    ['before a word that is written without its space', ['A', ...balloon, 'it'], 'A🎈 it', [0, 1, 1, 1, 1, 3]],
    ['after a space that is a token of its own', ['A', '', ...balloon, 'b'], 'A 🎈b', [0, 1, 2, 2, 2, 2, 4]],
    ['at the end', ['A', ...balloon], 'A🎈', [0, 1, 1, 1, 1]],
    ['at the end, before an end of text', ['A', ...balloon, '</s>'], 'A🎈', [0, 1, 1, 1, 1, 3]],
    ['several in a token', ['A', 'bytes:\\xf0\\x9f', 'bytes:\\x8e\\x88', 'b'], 'A🎈b', [0, 1, 1, 3]],
  ])('%s', (_, tokens, text, starts) => {
    expect(startsOf(tokens, text, { boundary: 3 })).toEqual(starts)
  })

  test('returns nothing if a token may begin on either side of the boundary', () => {
    const tokens = ['A', '�', '�', '�', 'b']
    expect(startsOf(tokens, 'A🎈🎈b', { boundary: 3 })).toBeUndefined()
    expect(startsOf(tokens, 'A🎈🎈b', { boundary: 5 })).toEqual([0, 1, 1, 1, 5])
    expect(startsOf(['A', '�', '�'], 'A🎈', { mayGoOn: true })).toBeUndefined()
    expect(startsOf(['A', '�', '�'], 'A🎈', { mayGoOn: false })).toEqual([0, 1, 1])
  })
})

test('a first token without a text is before the text, or its beginning', () => {
  expect(startsOf([undefined, 'The', ' sky'], 'The sky')).toEqual([undefined, 0, 3])
  expect(startsOf([undefined, ' sky'], 'The sky')).toEqual([0, 3])
  expect(startsOf([undefined, 'a', 'a'], 'aaa')).toEqual([0, 1, 2])
})

test('returns nothing for tokens of another text', () => {
  expect(startsOf(['The', ' sea'], 'The bright sky')).toBeUndefined()
  expect(startsOf(['The'], 'The sky is blue, and the grass is green')).toBeUndefined()
  expect(startsOf(['the', ' sky'], 'The sky', { offsets: [0, 3] })).toBeUndefined()
})

test('finds the start of each token for any split of the text', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { minLength: 1 }), tokens => {
      const starts: number[] = []
      let at = 0
      for (const token of tokens) {
        starts.push(at)
        at += token.length
      }
      expect(startsOf(tokens, tokens.join(''), { offsets: offsetsOf(tokens) })).toEqual(starts)
    }),
  )
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tokenStarts } from '../../../../../stages/model/backends/openai/token-starts.js'

const offsetsOf = (tokens: readonly string[]): number[] => {
  let at = 0
  return tokens.map(token => {
    const start = at
    at += Array.from(token).length
    return start
  })
}

test('offsets of the server count code points, and come back as places in the text', () => {
  const tokens = ['🎈🎈', ' red', ' 你好', '!']
  expect(tokenStarts(tokens, tokens.join(''), offsetsOf(tokens))).toEqual([0, 4, 8, 11])
})

test('a beginning-of-text token that is counted in the offsets and not in the text shifts nothing', () => {
  const tokens = ['<s>', 'The', ' sky']
  expect(tokenStarts(tokens, 'The sky', offsetsOf(tokens))).toEqual([undefined, 0, 3])
  expect(tokenStarts(['[gMASK]', '<sop>', 'The', ' sky'], 'The sky')).toEqual([undefined, undefined, 0, 3])
  expect(tokenStarts(['', 'The', ' sky'], 'The sky', [0, 0, 3])).toEqual([undefined, 0, 3])
})

test('a beginning-of-text token that stands in the text is part of it', () => {
  expect(tokenStarts(['<s>', 'The', ' sky'], '<s>The sky', [0, 3, 6])).toEqual([0, 3, 6])
})

describe('without offsets that can be used, tokens are found in the text', () => {
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
    expect(
      tokenStarts(
        tokens,
        text,
        tokens.map(() => -1),
      ),
    ).toEqual(starts)
    expect(tokenStarts(tokens, text)).toEqual(starts)
  })
})

test('a first token that the server does not tell is before the text, or its beginning', () => {
  expect(tokenStarts([undefined, 'The', ' sky'], 'The sky')).toEqual([undefined, 0, 3])
  expect(tokenStarts([undefined, ' sky'], 'The sky')).toEqual([0, 3])
  expect(tokenStarts([undefined, 'a', 'a'], 'aaa')).toEqual([0, 1, 2])
})

test('tokens of another text fit nowhere', () => {
  expect(tokenStarts(['The', ' sea'], 'The bright sky')).toBeUndefined()
  expect(tokenStarts(['The'], 'The sky is blue, and the grass is green')).toBeUndefined()
  expect(tokenStarts(['the', ' sky'], 'The sky', [0, 3])).toBeUndefined()
})

test('however a text is cut, each token begins where it was cut', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { minLength: 1 }), tokens => {
      const starts: number[] = []
      let at = 0
      for (const token of tokens) {
        starts.push(at)
        at += token.length
      }
      expect(tokenStarts(tokens, tokens.join(''), offsetsOf(tokens))).toEqual(starts)
    }),
  )
})

import { expect, test } from 'vitest'
import { boxesInAnswer } from '../../../stages/judge/helpers/boxes.js'
import { mmmuNumbers } from '../../../stages/judge/helpers/mmmu.js'
import { parseJmmmuProChoice } from '../../../stages/judge/helpers/mmmu-relatives.js'
import { follows } from '../../../stages/judge/instructions/instructions.js'
import { normalise } from '../../../stages/judge/text/normalizers.js'

/** What a model that does not end repeats: a pattern that tries again at each character would take minutes. */
const repeated = (part: string): string => part.repeat(100_000 / part.length)

test.each([' ', '\n', '\t', '1', '0', '<', '[', '(', 'a', '*', '漢'])('%j, 100,000 times, is read once', part => {
  const text = repeated(part)
  expect(boxesInAnswer(text)).toEqual([])
  expect(boxesInAnswer(`1${text}x [1, 2, 3, 4]`)).toEqual([[1, 2, 3, 4]])
  expect(mmmuNumbers(`${text}x`)).toEqual([])
  expect(parseJmmmuProChoice(`${text} (B)`, ['one', 'two'])).toBe('B')
  expect(follows(`>> ${text}`, { id: 'detectable_format:title', args: {} })).toBe(false)
  expect(normalise(`${text}x`, ['chinese'])).not.toBe('')
  for (const name of ['whisper_english', 'whisper_basic', 'whisper_basic_letters'] as const)
    expect(normalise(`${text} end`, [name]).endsWith(name === 'whisper_basic_letters' ? 'e n d' : 'end')).toBe(true)
})

test('brackets that are never closed stay in a transcript, those that are closed go', () => {
  expect(normalise('a <b> c [d) e (f g', ['whisper_basic'])).toBe('a c d e f g')
  expect(normalise('a () [b> (c) d', ['whisper_basic']).trim()).toBe('a d')
})

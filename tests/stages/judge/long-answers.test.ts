import { expect, test } from 'vitest'
import { boxesInAnswer } from '../../../stages/judge/helpers/boxes.js'
import { mmmuNumbers } from '../../../stages/judge/helpers/benchmarks/mmmu.js'
import { readOption } from '../../../stages/judge/helpers/options/read-option.js'
import { parseJmmmuProChoice } from '../../../stages/judge/helpers/benchmarks/mmmu-relatives.js'
import { follows } from '../../../stages/judge/instructions/instructions.js'
import { mathAnswers } from '../../../stages/judge/math/math-answer.js'
import { yesOrNo } from '../../../stages/judge/helpers/benchmarks/yes-no.js'
import { normalise } from '../../../stages/judge/text/normalizers.js'

/** Repetitions of a looping model. A pattern that restarts at each character would take minutes. */
const repeated = (part: string): string => part.repeat(100_000 / part.length)

test.each([' ', '\n', '\t', '1', '0', '<', '[', '(', 'a', '*', '漢', '"', '. ', '.\n'])(
  'reads %j, repeated 100,000 times, in linear time',
  part => {
    const text = repeated(part)
    expect(boxesInAnswer(text)).toEqual([])
    expect(boxesInAnswer(`1${text}x [1, 2, 3, 4]`)).toEqual([[1, 2, 3, 4]])
    expect(mmmuNumbers(`${text}x`)).toEqual([])
    expect(parseJmmmuProChoice(`${text} (B)`, ['one', 'two'])).toBe('B')
    expect(readOption(`${text} (B)`, { count: 4, choices: ['one', '-5', '绿色', 'x'] })).toMatchObject({ letter: 'B' })
    expect(yesOrNo(`${text}, no`, 'words')).toBe('no')
    expect(follows(`>> ${text}`, { id: 'detectable_format:title', args: {} })).toBe(false)
    expect(normalise(`${text}x`, ['chinese'])).not.toBe('')
    for (const name of ['whisper_english', 'whisper_basic', 'whisper_basic_letters'] as const)
      expect(normalise(`${text} end`, [name]).endsWith(name === 'whisper_basic_letters' ? 'e n d' : 'end')).toBe(true)
  },
)

test('the text of a choice, repeated without end, selects that choice', () => {
  const choices = ['red', 'green', '5', '0.5']
  expect(readOption(repeated('.5 '), { count: 4, choices })).toMatchObject({ letter: 'D' })
  expect(readOption(repeated('it is red '), { count: 4, choices })).toMatchObject({ letter: 'A' })
  expect(readOption(repeated('It is not red. '), { count: 4, choices })).toMatchObject({ type: 'none' })
})

test.each(['(', '[', '{', '(=', '( = [', '\\{', ')'])(
  '%j, repeated after a sentence, does not hide an answer',
  part => {
    const brackets = part.repeat(19_000 / part.length)
    expect(mathAnswers(`So the answer is found ${brackets}`).texts).toEqual([])
    expect(mathAnswers(`So the answer is found ${brackets}7`).texts).toEqual(['7'])
  },
)

test('reads an answer before an unclosed bracket, too', () => {
  for (const times of [1, 9_000]) {
    expect(mathAnswers(`So the answer is found ${'(1'.repeat(times)}`).texts).toEqual(['1'])
    expect(mathAnswers(`So the answer is found ${'('.repeat(times)}= (2) + 3`).texts).toEqual(['(2) + 3'])
  }
})

test('keeps unclosed brackets in a transcript, and removes closed ones', () => {
  expect(normalise('a <b> c [d) e (f g', ['whisper_basic'])).toBe('a c d e f g')
  expect(normalise('a () [b> (c) d', ['whisper_basic']).trim()).toBe('a d')
})

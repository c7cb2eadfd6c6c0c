/** Kinds of option values: how a flag's text is parsed, and the schema for configuration files. */
import { z } from 'zod'
import { PipelineError } from '../../../base/errors/errors.js'
import { didYouMean } from '../../../base/text/suggest.js'

/** Reads a flag's value as a whole number of at least `min`, or as one of `also`. */
export const wholeNumber =
  (flag: string, { min, also = [], expected }: { min: number; also?: readonly number[]; expected?: string }) =>
  (text: string): number => {
    const value = Number(text)
    if (/^[+-]?\d+$/.test(text) && Number.isSafeInteger(value) && (value >= min || also.includes(value))) return value
    throw new PipelineError(
      'usage',
      `${flag}: expected ${expected ?? `a whole number, ${min} or more`}, given "${text}"`,
    )
  }

/** Reads a flag's value as a number with `isValid`. `expected` describes it in the message. */
export const decimalNumber =
  (flag: string, { expected, isValid }: { readonly expected: string; readonly isValid: (value: number) => boolean }) =>
  (text: string): number => {
    const value = Number(text)
    if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) && isValid(value)) return value
    throw new PipelineError('usage', `${flag}: expected ${expected}, given "${text}"`)
  }

/** Reads a flag's value as seconds. */
export const positiveSeconds =
  (flag: string) =>
  (text: string): number => {
    const value = Number(text)
    if (/^\d*\.?\d+$/.test(text) && value > 0) return value
    throw new PipelineError('usage', `${flag}: expected seconds, more than 0, given "${text}"`)
  }

/** The reader of a flag that takes one of a few words. The words are for the completion of lines. */
export type WordReader<Word extends string> = ((text: string) => Word) & { readonly words: readonly Word[] }

/** Makes a reader of a flag's value as one of a few words. */
export const makeWordReader = <const Word extends string>(flag: string, words: readonly Word[]): WordReader<Word> =>
  Object.assign((text: string): Word => readWord(text, flag, words), { words })

function readWord<const Word extends string>(text: string, flag: string, words: readonly Word[]): Word {
  const match = words.find(word => word === text)
  if (match !== undefined) return match
  const expected = words.map(word => `"${word}"`).join(', ')
  throw new PipelineError('usage', `${flag}: expected ${expected}, given "${text}".${didYouMean(text, words)}`)
}

/** Takes a flag that may be given several times. */
export const appendText = (text: string, before: readonly string[] | undefined): readonly string[] => [
  ...(before ?? []),
  text,
]

/** A whole number of at least `min`. */
export const whole = (min: 0 | 1) => ({
  read: (text: string, _: unknown, flag: string): number => wholeNumber(flag, { min })(text),
  file: z.int().min(min).describe(`a whole number, ${min} or more`),
})

const highestPort = 65_535

/** The port of a server; 0 for any free one. */
export const port = {
  read(text: string, _: unknown, flag: string): number {
    const expected = `a port from 0 to ${highestPort}`
    const value = wholeNumber(flag, { min: 0, expected })(text)
    if (value <= highestPort) return value
    throw new PipelineError('usage', `${flag}: expected ${expected}, given "${text}"`)
  },
  file: z.int().min(0).max(highestPort).describe(`a port from 0 to ${highestPort}`),
}

/** A flag without a value. */
export const yesNo = { file: z.boolean().describe('true or false') } as const

export const text = (expected = 'a text') => ({ file: z.string().describe(expected) })

export const seconds = {
  read: (text: string, _: unknown, flag: string): number => positiveSeconds(flag)(text),
  file: z.number().positive().describe('seconds, more than 0'),
} as const

/** `"a", "b" or "c"` */
const formatWords = (words: readonly string[]): string =>
  words.map((name, index) => `${index === 0 ? '' : index === words.length - 1 ? ' or ' : ', '}"${name}"`).join('')

/** One of a few words. */
export const word = <const Word extends string>(words: readonly [Word, ...Word[]]) => ({
  read: Object.assign((text: string, _: unknown, flag: string): Word => readWord(text, flag, words), { words }),
  file: z.enum(words).describe(formatWords(words)),
})

/** One text, or a list of them; the flag may be repeated. */
export const texts = (expected: string) => ({
  read: appendText,
  file: z
    .union([z.string(), z.array(z.string())])
    .transform(value => (typeof value === 'string' ? [value] : value))
    .describe(expected),
})

/** Arguments: `a=1,b=x`, JSON, or in a file a mapping. */
export const argumentMap = (expected: string) => ({
  read: appendText,
  file: z.union([z.string(), z.record(z.string(), z.json())]).describe(expected),
})

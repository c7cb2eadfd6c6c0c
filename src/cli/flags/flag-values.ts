import { PipelineError } from '../../../base/errors.js'
import { didYouMean } from '../../../base/suggest.js'

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

/** Reads a flag's value as seconds. */
export const positiveSeconds =
  (flag: string) =>
  (text: string): number => {
    const value = Number(text)
    if (/^\d*\.?\d+$/.test(text) && value > 0) return value
    throw new PipelineError('usage', `${flag}: expected seconds, more than 0, given "${text}"`)
  }

/** Reads a flag's value as one of a few words. */
export const oneOf =
  <const Word extends string>(flag: string, words: readonly Word[]) =>
  (text: string): Word => {
    const found = words.find(word => word === text)
    if (found !== undefined) return found
    const expected = words.map(word => `"${word}"`).join(', ')
    throw new PipelineError('usage', `${flag}: expected ${expected}, given "${text}".${didYouMean(text, words)}`)
  }

/** Takes a flag that may be given several times. */
export const repeated = (text: string, before: readonly string[] | undefined): readonly string[] => [
  ...(before ?? []),
  text,
]

/**
 * Parsers for the replies of judge models. They return undefined if a reply says nothing, and the task then scores
 * `judge_failed`.
 */
import { pythonRegex } from '../../../base/python/python-regex.js'
import { stripWhiteSpace } from '../../../base/python/white-space.js'
import type { Json } from '../../../base/values/canonical-json.js'
import type { Parity } from '../define/parity.js'
import { parsePythonFloat } from '../text/python-number.js'
import { readRating } from './ratings.js'

const one = pythonRegex(String.raw`(?i)(?<![\w.,-])(?:1(?:\.0+)?|yes|true)(?![\w%]|[.,/]\d)`)
const zero = pythonRegex(String.raw`(?i)(?<![\w.,-])(?:0(?:\.0+)?|no|false)(?![\w%]|[.,/]\d)`)

/**
 * Returns whether a reply says that the answer is right (1 or yes) or wrong (0 or no). The first such word counts.
 * "1.0" and "0.0" count too; "10", "0.1" and "not sure" are undefined.
 */
export function readBinaryReply(reply: string): boolean | undefined {
  const right = reply.search(one)
  const wrong = reply.search(zero)
  if (right < 0 && wrong < 0) return undefined
  return wrong < 0 || (right >= 0 && right < wrong)
}

const decimal = pythonRegex(String.raw`-?\d+(?:\.\d+)?`, 'g')

const parseNumbers = (text: string): readonly number[] =>
  Array.from(text.matchAll(decimal), ([number]) => parsePythonFloat(number) ?? NaN)

/**
 * The rating that a reply gives; undefined if it gives none, several, or one outside of `range`, which a task scores as
 * `judge_failed`. An announced rating (`Score: 7`, 评分：7) and one with its scale (`7/10`, `8 out of 10`, `70%`) are read
 * among other words and numbers, and so is `{"score": 7}`. A number alone must be the whole reply. With parity it is the
 * first number, clamped to `range`.
 * Source of the parity: lmms-eval 0.7.2, parse_score_response, which returns the lowest value if there is none.
 */
export function readScore(reply: string, range?: readonly [number, number], parity?: Parity): number | undefined {
  if (parity === undefined) return readRating(reply, range ?? [-Infinity, Infinity])
  const [score] = parseNumbers(reply)
  return score === undefined || range === undefined ? score : Math.max(range[0], Math.min(score, range[1]))
}

const contestants = pythonRegex(String.raw`(?i)\b(?:assistant|response|answer|model|candidate)\s*#?\s*[12](?!\d)`, 'g')

/**
 * The two ratings of a reply's first line; undefined if it holds another count of numbers. Names such as "Assistant 1"
 * and the scales of `8/10` are no ratings. With parity they are the first two numbers.
 * Source of the parity: lmms-eval 0.7.2, parse_comparative_response, which returns −1 and −1 if there are none.
 */
export function readScorePair(reply: string, parity?: Parity): readonly [number, number] | undefined {
  const [line = ''] = stripWhiteSpace(reply).split('\n')
  const plain = parity === undefined ? line.replace(contestants, ' ').replace(/(?<=\d)\s?\/\s?\d+/g, '') : line
  const [first, second, ...more] = parseNumbers(plain)
  if (parity === undefined && more.length > 0) return undefined
  return first === undefined || second === undefined ? undefined : [first, second]
}

/** The JSON object from the first opening brace of a reply to the last closing one. Source: lmms-eval 0.7.2, parse_json_response. */
export function readJsonReply(reply: string): { readonly [key: string]: Json } | undefined {
  const [start, end] = [reply.indexOf('{'), reply.lastIndexOf('}')]
  if (start < 0 || end < start) return undefined
  try {
    return JSON.parse(reply.slice(start, end + 1)) as { readonly [key: string]: Json }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/**
 * Parsers for the replies of judge models. They return undefined if a reply says nothing, and the task then scores
 * `judge_failed`.
 */
import { pythonRegex } from '../../../base/python/python-regex.js'
import { stripWhiteSpace } from '../../../base/python/white-space.js'
import type { Json } from '../../../base/values/canonical-json.js'
import { parsePythonFloat } from '../text/python-number.js'

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
 * The first number of a reply, clamped to `range`.
 * Source: lmms-eval 0.7.2, parse_score_response, which returns the lowest value if there is none.
 */
export function readScore(reply: string, range?: readonly [number, number]): number | undefined {
  const [score] = parseNumbers(reply)
  return score === undefined || range === undefined ? score : Math.max(range[0], Math.min(score, range[1]))
}

/**
 * The first two numbers of a reply's first line.
 * Source: lmms-eval 0.7.2, parse_comparative_response, which returns −1 and −1 if there are none.
 */
export function readScorePair(reply: string): readonly [number, number] | undefined {
  const [line = ''] = stripWhiteSpace(reply).split('\n')
  const [first, second] = parseNumbers(line)
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

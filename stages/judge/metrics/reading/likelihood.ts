/** What the metrics of a text's likelihood have in common. */
import { pythonRegex } from '../../../../base/python-regex.js'
import { scored, type MetricInput, type Verdict } from '../../define-metric.js'

const space = pythonRegex(String.raw`\s+`, 'g')

/** The pieces between white space; at the ends of a text they may be empty, and count. */
export const wordCount = (text: string): number => text.split(space).length

export const byteCount = (text: string): number => Buffer.byteLength(text)

/** `[log-likelihood, length]` of the doc's target. */
export function judgeLikelihood({ bodies, references }: MetricInput, length: (text: string) => number): Verdict {
  const logprob = bodies[0]?.logprob
  if (logprob === undefined) throw new Error('the answer has no log-likelihood')
  return scored([logprob, length(references[0] ?? '')])
}

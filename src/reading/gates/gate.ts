/** Gates: conditions on the scores of a run, which a program such as continuous integration acts on. */
import { PipelineError } from '../../../base/errors/errors.js'

/** The comparison of a score with its bound. */
export type BoundOperator = '>=' | '<=' | '>' | '<'

/** A rule that compares a score with a bound: a number, or the baseline's score plus an offset. */
export interface BoundRule {
  readonly kind: 'bound'
  readonly operator: BoundOperator
  readonly base: 'zero' | 'baseline'
  readonly offset: number
}

/** A rule on the paired comparison with the baseline. With a margin, the whole interval of the difference must be better than the margin. */
export interface ComparisonRule {
  readonly kind: 'not worse' | 'better'
  readonly margin?: number
}

export interface Gate {
  /** The gate as the user wrote it. */
  readonly text: string
  /** `TASK.METRIC`, where `*` stands for any characters. */
  readonly subject: string
  readonly rule: BoundRule | ComparisonRule
}

const number = String.raw`(\d+(?:\.\d*)?|\.\d+)(?:e([-+]?\d+))?`
const bound = new RegExp(String.raw`^(.+?)\s*(>=|<=|>|<)\s*(?:(baseline)(?:\s*([-+])\s*${number})?|([-+]?)${number})$`)
const compared = new RegExp(
  String.raw`^(.+?)\s+(not\s+worse|better)(?:\s+than\s+(?:the\s+)?baseline)?(?:\s+by\s+${number})?$`,
)

/**
 * Reads a gate, such as `mmmu_val.acc >= baseline - 0.01`, `mme.score >= 1500`, `*.acc not worse` or `mme.score better by 10`.
 *
 * @throws PipelineError if the text is no gate
 */
export function parseGate(text: string): Gate {
  const trimmed = text.trim()
  const atBound = bound.exec(trimmed)
  if (atBound !== null) {
    const [, subject = '', operator = '', base, baseSign, baseDigits, baseExponent, sign, digits, exponent] = atBound
    const offset =
      base === undefined ? readNumber(sign, digits, exponent) : readNumber(baseSign, baseDigits, baseExponent)
    return {
      text: trimmed,
      subject: checkSubject(subject, trimmed),
      rule: {
        kind: 'bound',
        operator: operator as BoundOperator,
        base: base === undefined ? 'zero' : 'baseline',
        offset,
      },
    }
  }
  const atComparison = compared.exec(trimmed)
  if (atComparison === null) throw noGate(trimmed)
  const [, subject = '', word = '', digits, exponent] = atComparison
  return {
    text: trimmed,
    subject: checkSubject(subject, trimmed),
    rule: {
      kind: word === 'better' ? 'better' : 'not worse',
      ...(digits === undefined ? {} : { margin: readNumber('', digits, exponent) }),
    },
  }
}

/** Tells whether a gate needs the scores of a baseline. */
export const needsBaseline = ({ rule }: Gate): boolean => rule.kind !== 'bound' || rule.base === 'baseline'

const readNumber = (sign = '', digits = '0', exponent = '0'): number => Number(`${sign}${digits}e${exponent}`)

function checkSubject(subject: string, text: string): string {
  if (/^[^\s.<>=][^<>=]*\.[^\s.<>=][^<>=]*$|^\*$/.test(subject)) return subject
  throw noGate(text)
}

const noGate = (text: string): PipelineError =>
  new PipelineError('usage', [
    `${JSON.stringify(text)} is no gate. A gate names a task and a metric, and what must hold:`,
    '  mmmu_val.acc >= 0.5',
    '  mmmu_val.acc >= baseline - 0.01',
    '  mme.score not worse',
    '  *.acc not worse by 0.02',
    'Each gate is one condition. Name several with one flag each.',
  ])

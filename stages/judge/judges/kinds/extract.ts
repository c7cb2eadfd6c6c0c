import { scored, unparsed, type MetricDefinition, type MetricInput, type Verdict } from '../../define/define-metric.js'
import { exactMatch, contains } from '../../metrics/exact-match.js'
import { mathEqual } from '../../metrics/math-equal.js'
import { numericMatch } from '../../metrics/numeric-match.js'
import { optionLetter } from '../../metrics/option-letter.js'
import type { extractMatches, GradedArgs } from '../graded-args.js'
import { listTexts, makeQuestion, type JudgeKind, type VerdictForm } from '../graded-question.js'
import { extractTemplate } from '../prompts.js'
import { readVerdictWord, acceptRuling, refuseReply } from '../verdict-lines.js'

const matches: Readonly<Record<(typeof extractMatches)[number], MetricDefinition>> = {
  exact_match: exactMatch,
  contains,
  numeric_match: numericMatch,
  option_letter: optionLetter,
  math_equal: mathEqual,
}

const none = 'NONE'

const form: VerdictForm<string> = {
  instruct: mark =>
    `End your reply with one line "${mark.write()} " followed by the final answer, or by ${none} if the text gives none. Write nothing after it.`,
  read: (mark, reply) => {
    const rest = mark.find(reply)
    if (rest === undefined) return readVerdictWord(mark, reply)
    const [line = ''] = rest.trim().split(/\r\n|[\n\r\u2028\u2029]/)
    const answer = line.replace(/^(\*\*|`)(.*)\1$/, '$2').trim()
    return answer === '' ? refuseReply(`the judge's line "${mark.write()}" is empty`) : acceptRuling(answer)
  },
}

/** The judge finds the final answer, and a metric compares it with the target. */
export function makeExtract({
  prompt,
  match = 'exact_match',
  match_args: matchArgs = {},
}: GradedArgs): JudgeKind<string> {
  const metric = matches[match]
  const compare = async (answer: string, input: MetricInput): Promise<Verdict> => {
    if (answer === none) return unparsed('the judge finds no final answer', 0)
    const { record, references, parity } = input
    return metric.judge({ text: answer, references, record, bodies: [], parity }, metric.args.parse(matchArgs))
  }
  return {
    isStrict: true,
    range: [0, 1],
    ask: texts => {
      const { answer, question } = texts
      return [makeQuestion(prompt ?? extractTemplate(texts), { texts: listTexts({ answer, question }), form })]
    },
    rate: async (answer, input) => {
      const verdict = await compare(answer, input)
      return verdict.type === 'judge_failed' ? undefined : Number(verdict.value)
    },
    async conclude([answer = none], input) {
      const verdict = await compare(answer, input)
      if (verdict.type === 'scored') return scored(verdict.value, { answer })
      return verdict.type === 'unparsed' ? unparsed(verdict.reason, verdict.value, { answer }) : verdict
    },
  }
}

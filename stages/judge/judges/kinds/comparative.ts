import { scored } from '../../define/define-metric.js'
import type { GradedArgs } from '../graded-args.js'
import { makeQuestion, type GradedQuestion, type GradedTexts, type JudgeKind } from '../graded-question.js'
import { comparativeTemplate } from '../prompts.js'
import { readFromMenu, acceptRuling } from '../verdict-lines.js'

/** The outcome of one question: 1 if the answer wins, 0.5 for a tie, 0 if it loses. */
type Outcome = number

/**
 * The answer against another one, in both orders: 1 for a win, 0.5 for a tie, 0 for a loss. Orders that disagree are
 * a tie, since the judge then prefers a position.
 */
export function makeComparative({ prompt }: GradedArgs): JudgeKind<Outcome> {
  const makeOrder = (texts: GradedTexts, isFirst: boolean): GradedQuestion<Outcome> => {
    const { answer, question, reference } = texts
    const against = texts.against ?? reference
    if (against === undefined)
      throw new Error(
        'the kind comparative needs another answer, and the doc has none: give doc_to_target, or `against` as a field of the doc',
      )
    const outcomes: Readonly<Record<string, Outcome>> = isFirst ? { A: 1, TIE: 0.5, B: 0 } : { B: 1, TIE: 0.5, A: 0 }
    return makeQuestion(prompt ?? comparativeTemplate(texts), {
      texts: {
        first: isFirst ? answer : against,
        second: isFirst ? against : answer,
        ...(question !== undefined && { question }),
        ...(reference !== undefined && texts.against !== undefined && { reference }),
      },
      form: {
        instruct: mark =>
          `End your reply with one line "${mark.write()} BETTER", where BETTER is A, B or TIE. Write nothing after it.`,
        read: (mark, reply) => {
          const said = readFromMenu(mark, reply, ['A', 'B', 'TIE'])
          return said.type === 'ruled' ? acceptRuling(outcomes[said.ruling] ?? 0) : said
        },
      },
    })
  }
  return {
    isStrict: true,
    range: [0, 1],
    ask: texts => [makeOrder(texts, true), makeOrder(texts, false)],
    rate: outcome => outcome,
    conclude([asFirst = 0.5, asSecond = 0.5]) {
      const hasBias = asFirst !== asSecond
      return scored(hasBias ? 0.5 : asFirst, { as_first: asFirst, as_second: asSecond, position_bias: hasBias })
    },
  }
}

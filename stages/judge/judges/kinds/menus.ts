import { scored } from '../../define/define-metric.js'
import type { GradedArgs } from '../graded-args.js'
import { listTexts, makeQuestion, type JudgeKind, type VerdictForm } from '../graded-question.js'
import { binaryTemplate, likertTemplate } from '../prompts.js'
import { readRating } from '../../helpers/ratings.js'
import { readFromMenu, readVerdictWord, acceptRuling } from '../verdict-lines.js'

/** Makes the form of a verdict line with a word from a menu. */
const makeMenuForm = (menu: readonly string[], said: string): VerdictForm<string> => ({
  instruct: mark =>
    `End your reply with one line "${mark.write()} GRADE", where GRADE is ${said}. Write nothing after it.`,
  read: (mark, reply) => readFromMenu(mark, reply, menu),
})

/** Right or wrong, by a reference: 1 or 0. */
export function makeBinary({ prompt }: GradedArgs): JudgeKind<string> {
  const form = makeMenuForm(['CORRECT', 'INCORRECT'], 'CORRECT or INCORRECT')
  const rate = (word: string): number => (word === 'CORRECT' ? 1 : 0)
  return {
    isStrict: true,
    range: [0, 1],
    ask: texts => {
      if (prompt === undefined && texts.reference === undefined)
        throw new Error(
          'the kind binary compares with a reference, and the doc has none: give doc_to_target, or `reference` as a field of the doc, or a `prompt` without {reference}',
        )
      return [makeQuestion(prompt ?? binaryTemplate(texts), { texts: listTexts(texts), form })]
    },
    rate,
    conclude: ([word = '']) => scored(rate(word)),
  }
}

/** A grade on a scale of whole numbers. */
export function makeLikert({ prompt, low = 1, high = 5, normalise = false }: GradedArgs): JudgeKind<number> {
  const menu = Array.from({ length: high - low + 1 }, (_, step) => String(low + step))
  const words = makeMenuForm(menu, `a whole number from ${low} to ${high}`)
  const rate = (grade: number): number => (grade - low) / (high - low)
  const form: VerdictForm<number> = {
    instruct: words.instruct,
    read: (mark, reply) => {
      const said = words.read(mark, reply)
      if (said.type === 'ruled') return acceptRuling(Number(said.ruling))
      const word = readVerdictWord(mark, reply)
      const grade = word.type === 'ruled' && /\d/.test(word.ruling) ? readRating(word.ruling, [low, high]) : undefined
      return grade !== undefined && menu.includes(String(grade)) ? acceptRuling(grade) : said
    },
  }
  return {
    isStrict: false,
    range: normalise ? [0, 1] : [low, high],
    ask: texts => [
      makeQuestion(prompt ?? likertTemplate(texts), {
        texts: listTexts(texts),
        own: { low: String(low), high: String(high) },
        form,
      }),
    ],
    rate,
    conclude: ([grade = low]) => scored(normalise ? rate(grade) : grade, normalise ? { grade } : undefined),
  }
}

import { scored } from '../../define/define-metric.js'
import type { GradedArgs } from '../graded-args.js'
import { listTexts, makeQuestion, type JudgeKind, type VerdictForm } from '../graded-question.js'
import { rubricTemplate } from '../prompts.js'
import { readFromMenu, acceptRuling } from '../verdict-lines.js'

/** The grades of the criteria, in their order. */
type Grades = readonly string[]

const defaultGrades: Readonly<Record<string, number>> = { MET: 1, PARTLY: 0.5, UNMET: 0 }

/** Criteria that are graded in one reply. The value is the weighted mean of the grades' values. */
export function makeRubric({ prompt, criteria = [], grades = defaultGrades }: GradedArgs): JudgeKind<Grades> {
  const menu = Object.keys(grades)
  const range = [Math.min(...Object.values(grades)), Math.max(...Object.values(grades))] as const
  const weights = criteria.reduce((sum, { weight }) => sum + weight, 0)
  const readMean = (said: Grades): number =>
    criteria.reduce((sum, { weight }, i) => sum + weight * (grades[said[i] ?? ''] ?? 0), 0) / weights
  const form: VerdictForm<Grades> = {
    instruct: mark =>
      `End your reply with one line "${mark.write('NUMBER')} GRADE" for each criterion, from "${mark.write('1')}" to "${mark.write(String(criteria.length))}", where GRADE is one of ${menu.join(', ')}. Write nothing after them.`,
    read: (mark, reply) => {
      const said: string[] = []
      for (const [i, { name }] of criteria.entries()) {
        const grade = readFromMenu(mark, reply, menu, String(i + 1))
        if (grade.type === 'unreadable') return { ...grade, reason: `criterion ${name}: ${grade.reason}` }
        said.push(grade.ruling)
      }
      return acceptRuling(said)
    },
  }
  return {
    isStrict: false,
    range,
    ask: texts => [
      makeQuestion(prompt ?? rubricTemplate(texts), {
        texts: listTexts(texts),
        own: { criteria: criteria.map(({ name, text }, i) => `${i + 1}. ${name}: ${text}`).join('\n') },
        form,
      }),
    ],
    rate: said => (readMean(said) - range[0]) / (range[1] - range[0]),
    conclude: ([said = []]) =>
      scored(readMean(said), Object.fromEntries(criteria.map(({ name }, i) => [name, said[i] ?? null]))),
  }
}

import type { Json } from '../../base/values/canonical-json.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import type { ScoringContext } from '../../stages/judge/compile/scoring-spec.js'
import type { Verdict } from '../../stages/judge/define/define-metric.js'
import { letterScore, namedLetter } from '../_shared/letters.js'
import { mediaPath } from '../_shared/values.js'
import { letter, lettered, text } from '../_shared/options.js'
import { affixed } from '../_shared/question.js'
import { number } from '../_shared/values.js'

export { roundedMean as share } from '../_shared/means.js'

export const video = (doc: Doc): readonly string[] => [mediaPath('videos', doc['video_path'], 'video_path')]

export const nothing = (): readonly string[] => []

export const questionWithOptions = (doc: Doc, kwargs: TaskKwargs): string =>
  affixed(`${[text(doc['question'], 'question'), ...lettered(optionsOf(doc))].join('\n')}\n`, kwargs)

/** Up to five; those that are not there are "N/A". */
export const optionsOf = (doc: Doc): readonly string[] =>
  [0, 1, 2, 3, 4].map(i => text(doc[`option${i}`], `option${i}`)).filter(option => option !== 'N/A')

/** Scores whether the answer names the right option. */
export const namesRightLetter = (
  doc: Doc,
  [answer = '']: readonly string[],
  { parity }: Pick<ScoringContext, 'parity'> = {},
): Record<string, number | Verdict> => ({
  lvb_acc: letterScore(
    namedLetter(answer, 5, { parity, byScript: firstCapital }),
    letter(number(doc['correct_choice'], 'correct_choice')),
  ),
})

const introductions = [
  ...['The best answer is', 'The correct answer is', 'The answer is', 'The answer'],
  ...['The best option is', 'The correct option is', 'Best answer:', 'Best option:'],
]

/** The first capital letter from A to E behind the usual introductions, within a word too. Source: the benchmark's own script. */
function firstCapital(answer: string): string | undefined {
  const said = introductions.reduce((rest, introduction) => rest.replaceAll(introduction, ''), answer)
  return /[A-E]/.exec(said)?.[0]
}

/** Makes the row that the benchmark's server takes: the unchanged answer, by the question's id. */
export const submission = (doc: Doc, [answer = '']: readonly string[]): Record<string, Json> => ({
  submission: { [text(doc['id'], 'id')]: answer },
})

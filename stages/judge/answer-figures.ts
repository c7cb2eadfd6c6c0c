import type { Aggregate } from '../../cache/records.js'

const answerNames = ['cut', 'emptyCut', 'reasoned', 'reasoningCharacters'] as const

/** What is said of answers only where there is something to say. */
export const answerFigures = (
  counts: Partial<Record<(typeof answerNames)[number], number>>,
): Pick<Aggregate, (typeof answerNames)[number]> =>
  Object.fromEntries(answerNames.flatMap(name => ((counts[name] ?? 0) > 0 ? [[name, counts[name]] as const] : [])))

import { shortenText } from '../../../base/text/beginning.js'
import { isUnscored } from '../../../cache/facts/value-facts.js'
import type { Judgement, Run, ScoreBody } from '../../../cache/records.js'
import type { JudgementStore } from '../../../cache/store.js'

/** Docs of one task of which values could not be computed for the same reason. */
export interface UnjudgedDocs {
  readonly task: string
  readonly outcome: ScoreBody['outcome']
  /** The reason of the first value that failed. */
  readonly reason: string
  /** The values that failed: `metric` or `metric,filter`. Absent if the docs have no values at all. */
  readonly values?: readonly string[]
  readonly docs: number
}

/** Tells whether a doc has its answers, and a value of it could not be computed. */
export const isUnjudged = (score: ScoreBody | undefined): boolean => score !== undefined && isUnscored(score)

/** The reasons why values of a doc have no number: one for all, or a line for each value that failed. Undefined if there are none. */
export function describeReasons({ failed = {}, reason }: Pick<ScoreBody, 'failed' | 'reason'>): string | undefined {
  const lines = Object.entries(failed).map(([name, own]) => `${name}: ${own}`)
  return lines.length === 0 ? reason : lines.join('\n')
}

/** Groups unscored docs by task and reason, the most frequent first. */
export async function unjudgedDocs(
  store: { readonly judgements: Pick<JudgementStore, 'scores'> },
  run: Run,
  judgement: Judgement,
): Promise<readonly UnjudgedDocs[]> {
  const docsByKind = new Map<string, UnjudgedDocs>()
  for await (const { task, body } of store.judgements.scores(judgement)) {
    if (!isUnjudged(body)) continue
    const kind = {
      task: run.asked.tasks[task]?.name ?? '',
      outcome: body.outcome,
      reason: shortenText((body.reason ?? '').replace(/\s+/g, ' '), longestReason),
      ...(body.failed && { values: Object.keys(body.failed) }),
    }
    const id = JSON.stringify(kind)
    docsByKind.set(id, { ...kind, docs: (docsByKind.get(id)?.docs ?? 0) + 1 })
  }
  return [...docsByKind.values()].sort((a, b) => b.docs - a.docs)
}

/** The maximum number of characters of a reason. It is large, because the advice is at the end. */
const longestReason = 400

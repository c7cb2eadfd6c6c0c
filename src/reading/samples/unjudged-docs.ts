import { shortenText } from '../../../base/text/beginning.js'
import type { Judgement, Run, ScoreBody } from '../../../cache/records.js'
import type { JudgementStore } from '../../../cache/store.js'

/** Docs of one task without a score for the same reason. */
export interface UnjudgedDocs {
  readonly task: string
  readonly outcome: ScoreBody['outcome']
  readonly reason: string
  readonly docs: number
}

/** Tells whether a doc has its answers but no score. */
export const isUnjudged = (score: ScoreBody | undefined): boolean =>
  score?.outcome === 'judge_failed' || score?.outcome === 'error'

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
    }
    const id = JSON.stringify(kind)
    docsByKind.set(id, { ...kind, docs: (docsByKind.get(id)?.docs ?? 0) + 1 })
  }
  return [...docsByKind.values()].sort((a, b) => b.docs - a.docs)
}

/** The maximum number of characters of a reason. It is large, because the advice is at the end. */
const longestReason = 400

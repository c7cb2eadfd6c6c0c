import type { AnsweredDoc, Aggregate, Judgement, ScoreBody } from '../../cache/records.js'
import type { JudgeBatch, JudgeCursor, ScoringStore } from '../../cache/store.js'

/**
 * A store in memory with as much as the judge asks of one. `answer` is what the stage before it does; each pull sees
 * the docs answered since the cursor.
 */
export function judgeStore(judgement: Judgement) {
  const answered: AnsweredDoc[] = []
  const scores = new Map<string, ScoreBody>()
  const pulls: number[] = []
  let closed: readonly Aggregate[] | undefined
  const placeOf = ({ task, index }: { readonly task: number; readonly index: number }): string => `${task}/${index}`
  const judgements: ScoringStore['judgements'] = {
    docsToJudge(_judgement, cursor: JudgeCursor, limit): Promise<JudgeBatch> {
      const seen = answered.slice(cursor.item, cursor.item + limit)
      const next = { item: cursor.item + seen.length, response: 0 }
      pulls.push(seen.length)
      return Promise.resolve({
        docs: seen.filter(doc => !scores.has(placeOf(doc))),
        reused: seen.flatMap(doc => scores.get(placeOf(doc))?.outcome ?? []),
        next,
        exhausted: next.item === answered.length,
      })
    },
    commitScores(_judgement, drafts) {
      for (const { doc, body } of drafts) scores.set(placeOf(doc), body)
      return Promise.resolve()
    },
    async *scores() {
      const inOrder = [...answered].sort((a, b) => a.task - b.task || a.index - b.index)
      for (const { task, index } of inOrder) {
        const body = await Promise.resolve(scores.get(placeOf({ task, index })))
        if (body !== undefined) yield { task, index, body }
      }
    },
    close(_judgement, aggregates) {
      closed = aggregates
      return Promise.resolve({ ...judgement, finishedAt: 1, aggregates })
    },
  }
  const store: ScoringStore = { judgements }
  return {
    store,
    answer: (...docs: AnsweredDoc[]) => void answered.push(...docs),
    pulls,
    scored: () => scores.size,
    closed: () => closed,
  }
}

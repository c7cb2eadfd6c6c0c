import { answerDigest } from '../../cache/keys.js'
import type { AnsweredDoc, Aggregate, Judgement, Run, TaskJudging } from '../../cache/records.js'
import type { ScoringStore } from '../../cache/store.js'
import { MemoryData } from './memory-data.js'
import { addRun, MemoryStore } from './memory-store.js'
import { testAsked, testProvenance } from './store.js'

/** A judgement of a run in a memory store, with what a test needs to see of it. */
export interface JudgeStore {
  readonly store: ScoringStore
  readonly run: Run
  readonly judgement: Judgement
  /** How many docs each read of the store returned. */
  readonly pulls: readonly number[]
  /** Answers docs, as the model stage does. */
  answer(...docs: readonly AnsweredDoc[]): void
  /** Returns the number of docs with a score in the judgement. */
  scored(): number
  /** Returns the aggregates once the judgement is closed. */
  closed(): readonly Aggregate[] | undefined
}

/** @param data a store with answers and scores, if another run made the same requests */
export async function judgeStore(rules: readonly TaskJudging[], data = new MemoryData()): Promise<JudgeStore> {
  const store = new MemoryStore(data)
  const { run } = addRun(data, testAsked(['t'], { repeat: data.runs.size }), testProvenance)
  const judgement = await store.judgements.open(run, rules)
  const pulls: number[] = []
  const docsToJudge = store.judgements.docsToJudge.bind(store.judgements)
  store.judgements.docsToJudge = async (...query) => {
    const batch = await docsToJudge(...query)
    pulls.push(batch.docs.length + batch.reused.length)
    return batch
  }
  const stored = () => data.judgements.get(judgement.ref)
  return {
    store,
    run,
    judgement,
    pulls,
    answer: (...docs) => docs.forEach(doc => addAnswered(data, run, doc)),
    scored: () => stored()?.verdicts.size ?? 0,
    closed: () => stored()?.judgement.aggregates,
  }
}

function addAnswered(data: MemoryData, run: Run, { task, index, id, record, answers }: AnsweredDoc): void {
  const requests = answers.map(({ choice, sample }) => ({
    choice,
    sample,
    input: {
      type: 'generate_until' as const,
      messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: `${task}/${index}/${choice}` }] }],
    },
    generation: {},
  }))
  data.addDocs(run, { task, docs: [{ index, id, record, requests }], finished: false })
  const items = data.run(run).items.filter(item => item.task === task && item.doc === index)
  for (const [at, { request }] of items.entries()) {
    const { body } = answers[at]!
    if (request === undefined || data.responses.has(request)) continue
    const meta = { durationMs: 1, attempts: 1, answeredAt: 0 }
    data.responses.set(request, { body, meta, digest: answerDigest(body).key, seq: ++data.numbers.response })
  }
}

import { expect, test, vi } from 'vitest'
import { Wake } from '../../../base/time/wake.js'
import type { StageEvent } from '../../../cache/events.js'
import type { AnsweredDoc } from '../../../cache/records.js'
import { judgeRun, type JudgeWork } from '../../../stages/judge/judge.js'
import { makeScorer } from '../../support/scorer.js'
import { judgeStore, type JudgeStore } from '../../support/judge-store.js'
import { MemoryData } from '../../support/memory-data.js'
import { answeredDoc, recordOf } from '../../support/judged.js'

const scorer = makeScorer({ task: 't', outputType: 'generate_until', config: {}, scorerCode: { files: {} } })
const rules = [scorer.judging]
const docs = (count: number, text = 'red'): readonly AnsweredDoc[] =>
  Array.from({ length: count }, (_, index) => answeredDoc(recordOf('red', { doc: { index } }), [text], { index }))

function workOn(memory: JudgeStore, rest: Partial<JudgeWork> = {}) {
  const events: StageEvent[] = []
  const work: JudgeWork = {
    store: memory.store,
    run: memory.run,
    judgement: memory.judgement,
    scorers: [scorer],
    upstreamFinished: () => Promise.resolve(true),
    totals: () => Promise.resolve([{ docs: 10 }]),
    answered: new Wake(),
    drain: new AbortController().signal,
    emit: event => void events.push(event),
    pollMs: Infinity,
    ...rest,
  }
  return { work, events }
}

test('scores all answered docs in batches and stores the aggregates', async () => {
  const memory = await judgeStore(rules)
  memory.answer(...docs(10))
  const { work, events } = workOn(memory, { batch: 4 })
  const outcome = await judgeRun(work)
  expect(outcome).toMatchObject({ finished: true, counts: { docs: 10, reused: 0, errors: 0 } })
  expect(outcome.judgement.finishedAt).toBeDefined()
  expect(memory.pulls).toEqual([4, 4, 2])
  expect(memory.closed()).toMatchObject([{ task: 't', metric: 'exact_match', value: 1, n: 10, total: 10 }])
  expect(events.map(event => event.type === 'docs-scored' && event.docs)).toEqual([4, 4, 2])
})

test('the event of a batch says why its first doc has no score', async () => {
  const memory = await judgeStore(rules)
  memory.answer(...docs(3))
  const failing = workOn(memory, {})
  const [scorer] = failing.work.scorers
  if (scorer === undefined) throw new Error('no scorer')
  const score: typeof scorer.score = doc =>
    doc.index === 0 ? scorer.score(doc) : scorer.failed(doc, `broken ${doc.index}`)
  await judgeRun({ ...failing.work, scorers: [{ ...scorer, score }] })
  expect(failing.events).toMatchObject([{ type: 'docs-scored', docs: 3, failed: 2, firstReason: 'broken 1' }])
})

test('reads on while scores are being committed, and ends when all are durable', async () => {
  const memory = await judgeStore(rules)
  memory.answer(...docs(10))
  let taken = (): void => undefined
  const disk = new Promise<void>(resolve => (taken = resolve))
  const { commitScores } = memory.store.judgements
  const store: typeof memory.store = {
    judgements: {
      ...memory.store.judgements,
      commitScores: async (...scores) => {
        await commitScores(...scores)
        await disk
      },
    },
  }
  const { work } = workOn({ ...memory, store }, { batch: 4 })
  const outcome = judgeRun(work)
  await vi.waitFor(() => expect(memory.pulls).toEqual([4, 4, 2]))
  expect(memory.closed()).toBeUndefined()
  taken()
  expect((await outcome).finished).toBe(true)
})

test('fails if scores cannot be committed', async () => {
  const memory = await judgeStore(rules)
  memory.answer(...docs(10))
  const store: typeof memory.store = {
    judgements: { ...memory.store.judgements, commitScores: () => Promise.reject(new Error('disk full')) },
  }
  const { work } = workOn({ ...memory, store }, { batch: 4 })
  await expect(judgeRun(work)).rejects.toThrow('disk full')
  expect(memory.closed()).toBeUndefined()
})

test('waits for answers during inference, and misses none that arrive with its end', async () => {
  const memory = await judgeStore(rules)
  const answered = new Wake()
  const coming = [...docs(3)]
  let finished = false
  const { work } = workOn(memory, {
    answered,
    upstreamFinished() {
      const told = finished
      // The last answer is committed between the check for the end and the look at the store.
      const next = coming.shift()
      if (next !== undefined) memory.answer(next)
      finished = coming.length === 0
      answered.notify()
      return Promise.resolve(told)
    },
  })
  expect(await judgeRun(work)).toMatchObject({ finished: true, counts: { docs: 3 } })
})

test('counts existing scores and does not compute them again', async () => {
  const data = new MemoryData()
  const memory = await judgeStore(rules, data)
  memory.answer(...docs(5))
  await judgeRun(workOn(memory).work)
  const repeated = await judgeStore(rules, data)
  repeated.answer(...docs(5))
  const again = await judgeRun(workOn(repeated).work)
  expect(again.counts).toMatchObject({ docs: 5, reused: 5 })
})

test('when drained, finishes the current batch and leaves the judgement open', async () => {
  const memory = await judgeStore(rules)
  memory.answer(...docs(10))
  const stop = new AbortController()
  const { work } = workOn(memory, { batch: 4, drain: stop.signal, emit: () => stop.abort() })
  expect(await judgeRun(work)).toMatchObject({ finished: false, counts: { docs: 4 } })
  expect(memory.scored()).toBe(4)
  expect(memory.closed()).toBeUndefined()
})

test('when drained while waiting, stops at once', async () => {
  const memory = await judgeStore(rules)
  const stop = new AbortController()
  const { work } = workOn(memory, {
    drain: stop.signal,
    upstreamFinished() {
      queueMicrotask(() => stop.abort())
      return Promise.resolve(false)
    },
  })
  expect(await judgeRun(work)).toMatchObject({ finished: false })
})

test('reports unscored docs by kind and lowers the coverage', async () => {
  const memory = await judgeStore(rules)
  const failing = makeScorer({
    task: 't',
    outputType: 'generate_until',
    config: { metric_list: [{ metric: 'numeric_match' }] },
    scorerCode: { files: {} },
  })
  memory.answer(
    answeredDoc(recordOf('3'), ['3'], { index: 0 }),
    answeredDoc(recordOf('three'), ['3'], { index: 1 }),
    answeredDoc(recordOf('3'), [''], { index: 2 }),
  )
  const { work } = workOn(memory, { scorers: [failing], totals: () => Promise.resolve([{ docs: 3 }]) })
  expect((await judgeRun(work)).counts).toMatchObject({ docs: 3, unparsed: 1, empty: 1, errors: 1 })
  expect(memory.closed()).toMatchObject([{ n: 2, total: 3, unparsed: 1, empty: 1, value: 0.5 }])
})

test('queries a slow store after an answer of its own process, or at its own interval', async () => {
  const memory = await judgeStore(rules)
  const answered = new Wake()
  let looks = 0
  const store = { judgements: memory.store.judgements, slowPollMs: 50 }
  const { work } = workOn(memory, { store, answered, pollMs: 10, gatherMs: 1 })
  const judged = judgeRun({
    ...work,
    upstreamFinished() {
      looks += 1
      // The second search follows an answer at once, and the third one its interval.
      if (looks === 1) setTimeout(() => (memory.answer(...docs(1)), answered.notify()), 5)
      return Promise.resolve(looks === 3)
    },
  })
  expect(await judged).toMatchObject({ finished: true, counts: { docs: 1 } })
  expect(memory.pulls).toEqual([0, 1, 0])
})

import Database from 'better-sqlite3'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { codeKey } from '../../cache/keys.js'
import type { Judgement, TaskJudging } from '../../cache/records.js'
import type { Lease, Store } from '../../cache/store.js'
import {
  answer,
  question,
  temporaryFolder,
  temporaryStore,
  testAsked,
  testCode,
  testProvenance,
  testRun,
} from '../support/store.js'

const all = { after: 0, limit: 100, retryFailed: false }
const rules: TaskJudging = { config: { metric_list: [] }, scorer: testCode }
const start = { item: 0, response: 0 }

async function allOf<T>(values: AsyncIterable<T>): Promise<readonly T[]> {
  const seen: T[] = []
  for await (const value of values) seen.push(value)
  return seen
}

async function leaseAll(store: Store, run: Awaited<ReturnType<typeof testRun>>): Promise<readonly Lease[]> {
  return (await store.requests.lease(run, all)).leases
}

describe('runs', () => {
  test('the same question is the same run', async () => {
    const store = await temporaryStore()
    const first = await store.runs.create(testAsked(), testProvenance, [])
    const second = await store.runs.create(testAsked(), testProvenance, [])
    expect(first.isNew).toBe(true)
    expect(second).toEqual({ run: first.run, isNew: false })
  })

  test('a run that was started last is last, whatever the clock says', async () => {
    const store = await temporaryStore()
    const a = await testRun(store, ['a'])
    const b = await testRun(store, ['b'])
    await store.runs.touch(a)
    expect((await store.runs.list()).map(run => run.name)).toEqual([b.name, a.name])
  })
})

describe('requests', () => {
  test('what is committed is there after the process is gone and another opens the store', async () => {
    const dir = await temporaryFolder()
    const store = await temporaryStore(dir)
    const run = await testRun(store)
    await store.docs.commit(run, 0, [question(0), question(1)], true)
    const [first] = await leaseAll(store, run)
    await answer(store, first!, 'yes')
    const other = await temporaryStore(dir)
    expect(await other.runs.counts(run)).toEqual({
      docs: 2,
      docsByTask: [2],
      items: 2,
      answered: 1,
      failed: {},
      open: 0,
      pending: 1,
      inputFinished: true,
    })
  })

  test('what was answered is not gone through again to find what is pending', async () => {
    const store = await temporaryStore()
    const run = await testRun(store)
    await store.docs.commit(run, 0, [question(0), question(1), question(2)], true)
    const first = await store.requests.lease(run, { ...all, limit: 1 })
    await answer(store, first.leases[0]!, 'yes')
    const other = await temporaryStore(store.dir)
    for (const held of (await store.requests.lease(run, all)).leases) await answer(store, held, 'yes')
    const nothing = await store.requests.lease(run, all)
    expect(nothing).toMatchObject({ leases: [], exhausted: true })
    expect(nothing.next).toBe(first.next + 2)
    await other.docs.commit(run, 0, [question(3)], true)
    expect((await store.requests.lease(run, { ...all, after: nothing.next })).leases).toHaveLength(1)
  })

  test('counts are those of this moment, whoever wrote last', async () => {
    const store = await temporaryStore()
    const run = await testRun(store)
    await store.docs.commit(run, 0, [question(0), question(1)], true)
    expect(await store.runs.counts(run)).toMatchObject({ docs: 2, answered: 0 })
    const other = await temporaryStore(store.dir)
    await other.docs.commit(run, 0, [question(2)], true)
    expect(await store.runs.counts(run)).toMatchObject({ docs: 3, answered: 0 })
    await answer(store, (await leaseAll(store, run))[0]!, 'yes')
    expect(await store.runs.counts(run)).toMatchObject({ docs: 3, answered: 1 })
  })

  test('two items that ask the same are one request', async () => {
    const store = await temporaryStore()
    const run = await testRun(store)
    await store.docs.commit(run, 0, [question(0, 'same'), question(1, 'same')], true)
    const leases = await leaseAll(store, run)
    expect(leases).toHaveLength(1)
    await answer(store, leases[0]!, 'yes')
    expect((await store.runs.counts(run)).answered).toBe(2)
  })

  test('an answer in the store is not asked for again by another run', async () => {
    const store = await temporaryStore()
    const run = await testRun(store)
    await store.docs.commit(run, 0, [question(0)], true)
    await answer(store, (await leaseAll(store, run))[0]!, 'yes')
    const other = await testRun(store, ['other'])
    await store.docs.commit(other, 0, [question(0)], true)
    expect(await leaseAll(store, other)).toEqual([])
    expect((await store.runs.counts(other)).answered).toBe(1)
  })

  test('requests of a type that other code answers have keys of their own, and the others keep theirs', async () => {
    const store = await temporaryStore()
    const other = codeKey({ files: { 'stages/model/backends/other.ts': 'b'.repeat(40) } })
    const chat = question(0)
    const scored = {
      ...question(1),
      requests: question(1).requests.map(request => ({
        ...request,
        input: { type: 'loglikelihood' as const, messages: [], continuation: ' yes' },
      })),
    }
    const plain = await testRun(store)
    await store.docs.commit(plain, 0, [chat, scored], true)
    const keys = (await leaseAll(store, plain)).map(({ key }) => key)
    const { run } = await store.runs.create(testAsked(['t'], { codes: { loglikelihood: other.key } }), testProvenance, [
      { kind: 'code', ...other },
    ])
    await store.docs.commit(run, 0, [chat, scored], true)
    const pending = await leaseAll(store, run)
    expect(pending).toHaveLength(1)
    expect(keys).not.toContain(pending[0]!.key)
    expect(pending[0]!.input.type).toBe('loglikelihood')
  })

  test('an answer is never replaced by a later one', async () => {
    const store = await temporaryStore()
    const run = await testRun(store)
    await store.docs.commit(run, 0, [question(0)], true)
    const [held] = await leaseAll(store, run)
    expect(await answer(store, held!, 'first')).toBe(true)
    expect(await answer(store, held!, 'second')).toBe(false)
    const samples = await allOf(store.judgements.samples(run))
    expect(samples.map(({ items }) => items[0]?.response?.body.text)).toEqual(['first'])
  })

  test('an empty answer is an answer', async () => {
    const store = await temporaryStore()
    const run = await testRun(store)
    await store.docs.commit(run, 0, [question(0)], true)
    await answer(store, (await leaseAll(store, run))[0]!, '')
    expect(await store.runs.counts(run)).toMatchObject({ answered: 1, pending: 0 })
  })

  test('a refused request stays failed until it is asked for by name', async () => {
    const store = await temporaryStore()
    const run = await testRun(store)
    await store.docs.commit(run, 0, [question(0)], true)
    await store.requests.commitFailure((await leaseAll(store, run))[0]!, {
      class: 'refused',
      message: 'no',
      attempts: 1,
    })
    expect(await store.runs.counts(run)).toMatchObject({ failed: { refused: 1 }, pending: 0 })
    expect(await leaseAll(store, run)).toEqual([])
    // A process never retries what it has just seen fail, so the next one asks. It has another start time.
    const database = new Database(join(store.dir, 'store.sqlite'))
    database.prepare("UPDATE owner SET start = 'before'").run()
    database.close()
    const later = await temporaryStore(store.dir)
    expect(await leaseAll(later, run)).toEqual([])
    expect((await later.requests.lease(run, { ...all, retryFailed: true })).leases).toHaveLength(1)
  })

  test('a doc whose medium is broken is a failure from the start, and no request', async () => {
    const store = await temporaryStore()
    const run = await testRun(store)
    const broken = { choice: 0, sample: 0, failure: { class: 'media' as const, message: 'truncated PNG', attempts: 0 } }
    await store.docs.commit(run, 0, [{ ...question(0), requests: [broken] }, question(1)], true)
    expect(await leaseAll(store, run)).toHaveLength(1)
    expect(await store.requests.failures(run)).toEqual([
      {
        task: 't',
        doc: '0',
        index: 0,
        choice: 0,
        sample: 0,
        failure: { class: 'media', message: 'truncated PNG', attempts: 0 },
      },
    ])
  })

  test('leases that are given back can be taken again', async () => {
    const store = await temporaryStore()
    const run = await testRun(store)
    await store.docs.commit(run, 0, [question(0)], true)
    const leases = await leaseAll(store, run)
    expect(await leaseAll(store, run)).toEqual([])
    await store.requests.release(leases)
    expect(await leaseAll(store, run)).toHaveLength(1)
  })
})

describe('judging', () => {
  async function answeredRun(store: Store, docs: number) {
    const run = await testRun(store)
    await store.docs.commit(
      run,
      0,
      Array.from({ length: docs }, (_, i) => question(i)),
      true,
    )
    return run
  }

  test('a doc comes to the judge once its last answer is there, in whichever order answers come', async () => {
    const store = await temporaryStore()
    const run = await answeredRun(store, 3)
    const judgement = await store.judgements.open(run, [rules])
    const empty = await store.judgements.docsToJudge(judgement, start, 10)
    expect(empty.docs).toEqual([])
    const [first, , third] = await leaseAll(store, run)
    await answer(store, third!, 'c')
    const next = await store.judgements.docsToJudge(judgement, empty.next, 10)
    expect(next.docs.map(doc => doc.index)).toEqual([2])
    await store.judgements.commitScores(
      judgement,
      next.docs.map(doc => ({ doc, body: { outcome: 'scored', values: { m: 1 }, extracted: {} } })),
    )
    await answer(store, first!, 'a')
    expect((await store.judgements.docsToJudge(judgement, next.next, 10)).docs.map(doc => doc.index)).toEqual([0])
  })

  test('a doc that came with its answer since the last look comes once', async () => {
    const store = await temporaryStore()
    const run = await testRun(store)
    const judgement = await store.judgements.open(run, [rules])
    await store.docs.commit(run, 0, [question(0)], false)
    await answer(store, (await leaseAll(store, run))[0]!, 'a')
    const first = await store.judgements.docsToJudge(judgement, start, 10)
    await store.docs.commit(run, 0, [question(1), question(2)], true)
    for (const lease of await leaseAll(store, run)) await answer(store, lease, 'b')
    const { docs } = await store.judgements.docsToJudge(judgement, first.next, 10)
    expect(docs.map(doc => doc.index)).toEqual([1, 2])
  })

  test('pages of any size bring every answered doc exactly once', async () => {
    const store = await temporaryStore()
    const run = await answeredRun(store, 17)
    for (const lease of await leaseAll(store, run)) await answer(store, lease, lease.item.doc)
    for (const limit of [1, 2, 5, 17, 18]) {
      const judgement = await store.judgements.open(run, [{ ...rules, config: { limit } }])
      const seen: number[] = []
      for (let cursor = start, more = true; more;) {
        const batch = await store.judgements.docsToJudge(judgement, cursor, limit)
        seen.push(...batch.docs.map(doc => doc.index))
        cursor = batch.next
        more = !batch.exhausted
      }
      expect(seen).toEqual(Array.from({ length: 17 }, (_, i) => i))
    }
  })

  test('the same answers under the same rules are not scored again', async () => {
    const store = await temporaryStore()
    const run = await answeredRun(store, 1)
    await answer(store, (await leaseAll(store, run))[0]!, 'yes')
    const judgement = await store.judgements.open(run, [rules])
    const { docs } = await store.judgements.docsToJudge(judgement, start, 10)
    await store.judgements.commitScores(
      judgement,
      docs.map(doc => ({ doc, body: { outcome: 'unparsed', values: { m: 0 }, extracted: {} } })),
    )
    const other = await testRun(store, ['t'], { repeat: 1 })
    await store.docs.commit(other, 0, [question(0)], true)
    const again = await store.judgements.open(other, [rules])
    expect(await store.judgements.docsToJudge(again, start, 10)).toMatchObject({ docs: [], reused: ['unparsed'] })
  })

  test('docs are counted by what came of them, and outcomes that none has are left out', async () => {
    const store = await temporaryStore()
    const run = await answeredRun(store, 3)
    for (const lease of await leaseAll(store, run)) await answer(store, lease, lease.item.doc)
    const judgement = await store.judgements.open(run, [rules])
    expect(await store.judgements.outcomes(judgement)).toEqual({})
    const { docs } = await store.judgements.docsToJudge(judgement, start, 10)
    const found = ['scored', 'error', 'scored'] as const
    await store.judgements.commitScores(
      judgement,
      docs.map((doc, at) => ({ doc, body: { outcome: found[at] ?? 'error', values: {}, extracted: {} } })),
    )
    expect(await store.judgements.outcomes(judgement)).toEqual({ scored: 2, error: 1 })
  })

  test('new rules are a new judgement, and the old one stays', async () => {
    const store = await temporaryStore()
    const run = await answeredRun(store, 1)
    const first = await store.judgements.open(run, [rules])
    const same = await store.judgements.open(run, [rules])
    const second = await store.judgements.open(run, [{ ...rules, config: { other: true } }])
    expect([first.number, same.number, second.number]).toEqual([1, 1, 2])
    expect((await store.judgements.list(run)).map(judgement => judgement.number)).toEqual([1, 2])
  })

  test('scores come with what an earlier judgement made of the same docs', async () => {
    const store = await temporaryStore()
    const run = await answeredRun(store, 3)
    for (const lease of await leaseAll(store, run)) await answer(store, lease, 'yes')
    const scoreDocs = async (judgement: Judgement, values: readonly number[]): Promise<void> => {
      const { docs } = await store.judgements.docsToJudge(judgement, start, 10)
      await store.judgements.commitScores(
        judgement,
        values.map((m, i) => ({ doc: docs[i]!, body: { outcome: 'scored', values: { m }, extracted: {} } })),
      )
    }
    const first = await store.judgements.open(run, [rules])
    await scoreDocs(first, [0, 1])
    const second = await store.judgements.open(run, [{ ...rules, config: { other: true } }])
    await scoreDocs(second, [0, 0, 1])
    const seen = await allOf(store.judgements.scores(second, first))
    expect(seen.map(({ index, body, before }) => [index, body.values['m'], before?.values['m']])).toEqual([
      [0, 0, 0],
      [1, 0, 1],
      [2, 1, undefined],
    ])
    expect((await allOf(store.judgements.scores(first, second))).map(({ before }) => before?.values['m'])).toEqual([
      0, 0,
    ])
  })

  test('a judge that failed is asked again when the judgement is opened again', async () => {
    const store = await temporaryStore()
    const run = await answeredRun(store, 1)
    await answer(store, (await leaseAll(store, run))[0]!, 'yes')
    const judgement = await store.judgements.open(run, [rules])
    const { docs } = await store.judgements.docsToJudge(judgement, start, 10)
    await store.judgements.commitScores(
      judgement,
      docs.map(doc => ({ doc, body: { outcome: 'judge_failed', values: {}, extracted: {} } })),
    )
    const again = await store.judgements.open(run, [rules])
    expect((await store.judgements.docsToJudge(again, start, 10)).docs).toHaveLength(1)
  })

  test('a target that was mended is what the new judgement sees', async () => {
    const store = await temporaryStore()
    const run = await answeredRun(store, 1)
    await answer(store, (await leaseAll(store, run))[0]!, 'yes')
    const judgement = await store.judgements.open(run, [rules])
    await store.judgements.reviseRecords(judgement, 0, [{ index: 0, record: { target: 'mended', doc: {} } }])
    expect((await store.judgements.docsToJudge(judgement, start, 10)).docs[0]?.record.target).toBe('mended')
  })
})

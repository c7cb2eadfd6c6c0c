import { describe, expect, test } from 'vitest'
import { codeKey, judgeRecordKey } from '../../../cache/keys.js'
import { requestKeys } from '../../../cache/request-keys.js'
import { answer, question, testAsked, testProvenance, testRun } from '../store.js'
import type { StoreWorld } from './world.js'
import { allOf, answerAll, askedRun, leaseAll, questions, refusal, textsOf, timeout, wholeRun } from './scene.js'

type MakeWorld = () => Promise<StoreWorld>

export function describeRuns(makeWorld: MakeWorld): void {
  describe('runs', () => {
    test('the same spec is the same run', async () => {
      const store = await (await makeWorld()).open()
      const first = await store.runs.create(testAsked(), testProvenance, [])
      const second = await store.runs.create(testAsked(), testProvenance, [])
      expect(first.isNew).toBe(true)
      expect(second).toEqual({ run: first.run, isNew: false })
      expect(await store.runs.find(first.run.id)).toEqual(first.run)
    })

    test('the run started last is the last of the list, whatever the clock shows', async () => {
      const store = await (await makeWorld()).open()
      expect(await store.runs.newest()).toBeUndefined()
      const a = await testRun(store, ['a'])
      const b = await testRun(store, ['b'])
      await store.runs.touch(a)
      expect(await store.runs.newest()).toEqual(a)
      expect((await store.runs.list()).map(run => run.name)).toEqual([b.name, a.name])
      await store.runs.touch(b)
      expect((await store.runs.list()).map(run => run.name)).toEqual([a.name, b.name])
      expect(await store.runs.newest()).toEqual(b)
    })

    test('a page lists the runs started last, the newest first, and the total number', async () => {
      const store = await (await makeWorld()).open()
      const [a, b, c] = [await testRun(store, ['a']), await testRun(store, ['b']), await testRun(store, ['c'])]
      await store.runs.touch(a)
      expect(await store.runs.page({ limit: 2 })).toEqual({ runs: [a, c], total: 3 })
      expect(await store.runs.page({ limit: 2, offset: 2 })).toEqual({ runs: [b], total: 3 })
      await store.runs.remove(c)
      expect(await store.runs.page({ limit: 5 })).toEqual({ runs: [a, b], total: 2 })
      expect(await store.runs.page({ limit: 5, offset: 2 })).toEqual({ runs: [], total: 2 })
    })

    test('a page leaves out runs that hold requests of a judge or of rounds', async () => {
      const store = await (await makeWorld()).open()
      const run = await testRun(store, ['a'])
      for (const mark of [{ judge: { of: run.id } }, { rounds: { of: run.id } }])
        await store.runs.create({ ...testAsked(), ...mark }, testProvenance, [])
      expect(await store.runs.list()).toHaveLength(3)
      expect(await store.runs.page({ limit: 5 })).toEqual({ runs: [run], total: 1 })
    })

    test('a page can be searched by words of name, model and tasks, and wildcards are literal', async () => {
      const store = await (await makeWorld()).open()
      const asked = testAsked()
      const made = async (model: string, task: string) => {
        const tasks = asked.tasks.map(one => ({ ...one, name: task }))
        const spec = { ...asked, tasks, model: { backend: 'openai', args: { model, limit: 4096 } } }
        return (await store.runs.create(spec, testProvenance, [])).run.name
      }
      const small = await made('Qwen2.5-VL-3B', 'mmmu_val')
      const large = await made('Qwen2.5-VL-72B', 'chart%qa')
      const found = async (text: string) => (await store.runs.page({ text, limit: 5 })).runs.map(({ name }) => name)
      expect(await found(' ')).toHaveLength(2)
      expect(await found('qwen2.5')).toHaveLength(2)
      expect(await found('OPENAI 72b')).toEqual([large])
      expect(await found('72b mmmu')).toEqual([])
      expect(await found('mmmu_v')).toEqual([small])
      expect(await found('t%q')).toEqual([large])
      expect(await found('m%u')).toEqual([])
      expect(await found('t_q')).toEqual([])
      expect(await found('4096')).toEqual([])
      expect(await found(small)).toEqual([small])
      expect(await store.runs.page({ text: 'chart', limit: 0 })).toEqual({ runs: [], total: 1 })
    })

    test('names include those of runs that lists leave out', async () => {
      const store = await (await makeWorld()).open()
      const run = await testRun(store, ['a'])
      const { run: judge } = await store.runs.create({ ...testAsked(), judge: { of: run.id } }, testProvenance, [])
      const names = [run, judge].map(({ id, name }) => ({ id, name })).sort((a, b) => (a.name < b.name ? -1 : 1))
      expect(await store.runs.names()).toEqual(names)
    })

    test('a removed run is gone, and its answers are reused by the next one', async () => {
      const store = await (await makeWorld()).open()
      const run = await askedRun(store, 2)
      await answerAll(store, run)
      await store.runs.remove(run)
      expect(await store.runs.find(run.id)).toBeUndefined()
      expect(await store.runs.list()).toEqual([])
      const again = await askedRun(store, 2)
      expect(await store.runs.counts(again)).toMatchObject({ answered: 2, pending: 0 })
    })

    test('counts include the items of all tasks', async () => {
      const store = await (await makeWorld()).open()
      const run = await testRun(store, ['a', 'b'])
      const none = { docs: 0, docsByTask: [0, 0], items: 0, answered: 0, failed: {}, open: 0, pending: 0, shared: 0 }
      expect(await store.runs.counts(run)).toEqual({ ...none, inputFinished: false })
      await store.docs.commit(run, 0, questions(1), true)
      expect(await store.runs.counts(run)).toMatchObject({ docs: 1, docsByTask: [1, 0], inputFinished: false })
      await store.docs.commit(run, 1, questions(2, 5), true)
      const [held] = await leaseAll(store, run)
      await answer(store, held!, 'yes')
      expect(await store.runs.counts(run)).toEqual({
        ...none,
        docs: 3,
        docsByTask: [1, 2],
        items: 3,
        answered: 1,
        pending: 2,
        inputFinished: true,
      })
    })

    test('a doc with several requests is one doc of several items', async () => {
      const store = await (await makeWorld()).open()
      const [request] = question(0).requests
      const requests = [0, 1, 2].map(sample => ({ ...request!, sample }))
      const run = await askedRun(store, [{ ...question(0), requests }])
      expect(await store.runs.counts(run)).toMatchObject({ docs: 1, items: 3, pending: 3 })
      expect((await leaseAll(store, run)).map(({ sample }) => sample)).toEqual([0, 1, 2])
      expect(await store.requests.nextSample()).toBe(3)
    })
  })
}

export function describeDocs(makeWorld: MakeWorld): void {
  describe('docs', () => {
    test('progress is the index after the last doc, and a finished task stays finished', async () => {
      const store = await (await makeWorld()).open()
      const run = await testRun(store)
      expect(await store.docs.progress(run, 0)).toEqual({ docs: 0, finished: false })
      await store.docs.commit(run, 0, questions(3), false)
      expect(await store.docs.progress(run, 0)).toEqual({ docs: 3, finished: false })
      await store.docs.commit(run, 0, [], true)
      expect(await store.docs.progress(run, 0)).toEqual({ docs: 3, finished: true })
      await store.docs.commit(run, 0, questions(1), false)
      expect(await store.docs.progress(run, 0)).toEqual({ docs: 3, finished: true })
    })

    test('a doc that is committed twice is stored once', async () => {
      const store = await (await makeWorld()).open()
      const run = await askedRun(store, 2)
      await store.docs.commit(run, 0, questions(2), true)
      expect(await store.runs.counts(run)).toMatchObject({ docs: 2, items: 2 })
    })

    test('a doc without a possible request is a failure from the start', async () => {
      const store = await (await makeWorld()).open()
      const failure = { class: 'media' as const, message: 'truncated PNG', attempts: 0 }
      const broken = { ...question(0), requests: [{ choice: 0, sample: 0, failure }] }
      const run = await askedRun(store, [broken, question(1)])
      expect(await leaseAll(store, run)).toHaveLength(1)
      expect(await store.requests.failures(run)).toEqual([
        { task: 't', doc: '0', index: 0, choice: 0, sample: 0, failure },
      ])
      expect(await store.requests.metFailures(run)).toEqual([])
      await store.docs.commit(run, 0, [broken, question(1)], true)
      expect(await store.upkeep.stats()).toMatchObject({ failures: 1 })
    })

    test('a recommitted doc replaces one without a request, and no other', async () => {
      const store = await (await makeWorld()).open()
      const failure = { class: 'media' as const, message: 'truncated PNG', attempts: 0 }
      const broken = { ...question(0), requests: [{ choice: 0, sample: 0, failure }] }
      const run = await askedRun(store, [broken, question(1)])
      await store.docs.recommit(run, 0, [question(0), question(1, 'another')])
      expect(await store.requests.failures(run)).toEqual([])
      const prompts = (await leaseAll(store, run)).map(({ input }) => input.messages[0]?.content[0])
      expect(prompts).toHaveLength(2)
      expect(prompts).toContainEqual({ type: 'text', text: 'question 0' })
      expect(prompts).toContainEqual({ type: 'text', text: 'question 1' })
    })

    test('only one process at a time reads the docs of a task', async () => {
      const world = await makeWorld()
      const [first, second] = [await world.open('first'), await world.open('second')]
      const run = await testRun(first, ['a', 'b'])
      expect(await first.docs.lease(run, 0)).toBe(true)
      expect(await first.docs.lease(run, 0)).toBe(true)
      expect(await second.docs.lease(run, 0)).toMatchObject({ items: 0 })
      expect(await second.docs.lease(run, 1)).toBe(true)
      await world.kill('first')
      expect(await second.docs.lease(run, 0)).toBe(true)
    })
  })
}

export function describeRequests(makeWorld: MakeWorld): void {
  describe('requests', () => {
    test('a lease contains the request and its key', async () => {
      const store = await (await makeWorld()).open()
      const run = await askedRun(store, 1)
      const [request] = question(0).requests
      const [lease] = await leaseAll(store, run)
      const { input, generation } = request as Extract<typeof request, { input: unknown }>
      expect(lease).toMatchObject({ input, generation, sample: 0 })
      expect(lease!.item).toMatchObject({ run: run.ref, task: 't', doc: '0' })
      expect(lease!.key).toBe(requestKeys(run.asked)({ input, generation, sample: 0 }).response)
    })

    test('leases come in the order of items, a page at a time', async () => {
      const store = await (await makeWorld()).open()
      const run = await askedRun(store, 5)
      const first = await store.requests.lease(run, { ...wholeRun, limit: 2 })
      expect(first.exhausted).toBe(false)
      const second = await store.requests.lease(run, { ...wholeRun, after: first.next, limit: 10 })
      expect(second.exhausted).toBe(true)
      expect([...first.leases, ...second.leases].map(({ item }) => item.doc)).toEqual(['0', '1', '2', '3', '4'])
      const tokens = [...first.leases, ...second.leases].map(({ token }) => token)
      expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b))
      await store.docs.commit(run, 0, questions(1, 5), true)
      expect(await leaseAll(store, run, { after: second.next })).toHaveLength(1)
    })

    test('a search reads further items than it leases, and the next one continues behind the last lease', async () => {
      const store = await (await makeWorld()).open()
      const run = await askedRun(store, 5)
      const first = await store.requests.lease(run, { ...wholeRun, limit: 4, most: 2 })
      expect(first.leases.map(({ item }) => item.doc)).toEqual(['0', '1'])
      expect(first.exhausted).toBe(false)
      const second = await store.requests.lease(run, { ...wholeRun, after: first.next, limit: 10, most: 3 })
      expect(second.leases.map(({ item }) => item.doc)).toEqual(['2', '3', '4'])
      expect(second.exhausted).toBe(true)
    })

    test('answered items after the last pending one are not searched again', async () => {
      const world = await makeWorld()
      const store = await world.open()
      const run = await askedRun(store, 3)
      const first = await store.requests.lease(run, { ...wholeRun, limit: 1 })
      await answer(store, first.leases[0]!, 'yes')
      await answerAll(store, run)
      const nothing = await store.requests.lease(run, wholeRun)
      expect(nothing).toMatchObject({ leases: [], exhausted: true })
      expect(nothing.next).toBeGreaterThan(first.next)
      await (await world.open()).docs.commit(run, 0, questions(1, 3), true)
      expect(await leaseAll(store, run, { after: nothing.next })).toHaveLength(1)
    })

    test('finds the only pending item behind 2,500 answered ones, and none after its answer', async () => {
      const store = await (await makeWorld()).open()
      const run = await askedRun(store, 2_500)
      for (let left = 2_500; left > 0;) {
        const leases = await leaseAll(store, run, { limit: 1_000 })
        await Promise.all(leases.map(lease => answer(store, lease, 'yes')))
        left -= leases.length
      }
      await store.docs.commit(run, 0, questions(1, 2_500), true)
      const { leases, exhausted } = await store.requests.lease(run, wholeRun)
      expect(leases.map(({ item }) => item.doc)).toEqual(['2500'])
      expect(exhausted).toBe(true)
      await answer(store, leases[0]!, 'yes')
      const nothing = { leases: [], exhausted: true, next: leases[0]!.item.id }
      expect(await store.requests.lease(run, wholeRun)).toMatchObject(nothing)
    })

    test('leases only the requests of selected docs, even if another doc shares the request', async () => {
      const store = await (await makeWorld()).open()
      const run = await askedRun(store, [question(0, 'same'), question(1, 'other'), question(2, 'same')])
      const found = await leaseAll(store, run, { isMeant: (task, doc) => task === 0 && doc === '2' })
      expect(found.map(({ item }) => item.doc)).toEqual(['2'])
      expect((await leaseAll(store, run)).map(({ item }) => item.doc)).toEqual(['1'])
    })

    test('two items with the same request share it', async () => {
      const store = await (await makeWorld()).open()
      const run = await askedRun(store, [question(0, 'same'), question(1, 'same')])
      const leases = await leaseAll(store, run)
      expect(leases).toHaveLength(1)
      await answer(store, leases[0]!, 'yes')
      expect((await store.runs.counts(run)).answered).toBe(2)
    })

    test('a commit counts requests that need not be sent: those of earlier docs, and answered ones', async () => {
      const store = await (await makeWorld()).open()
      const run = await testRun(store)
      const [one, other] = [question(0, 'same'), question(2, 'other')]
      expect(await store.docs.commit(run, 0, [one, question(1, 'same'), other], false)).toEqual({
        answered: 0,
        shared: 1,
      })
      expect(await store.docs.commit(run, 0, [question(3, 'same')], false)).toEqual({ answered: 0, shared: 1 })
      const [held] = await leaseAll(store, run)
      await answer(store, held!, 'yes')
      const later = [question(4, 'same'), question(5, 'other'), question(6, 'new')]
      expect(await store.docs.commit(run, 0, later, true)).toEqual({ answered: 1, shared: 1 })
      // Another run has to send what has no answer.
      const another = await testRun(store, ['another'])
      expect(await store.docs.commit(another, 0, [one, other], true)).toEqual({ answered: 1, shared: 0 })
    })

    test('a stored answer serves every run with the same request', async () => {
      const store = await (await makeWorld()).open()
      const run = await askedRun(store, 1)
      const [lease] = await leaseAll(store, run)
      await answer(store, lease!, 'yes')
      const other = await testRun(store, ['other'])
      await store.docs.commit(other, 0, questions(1), true)
      expect(await leaseAll(store, other)).toEqual([])
      expect((await store.runs.counts(other)).answered).toBe(1)
    })

    test('a request type of other code has other keys, and the others keep theirs', async () => {
      const store = await (await makeWorld()).open()
      const other = codeKey({ files: { 'stages/model/backends/other.ts': 'b'.repeat(40) } })
      const scored = {
        ...question(1),
        requests: question(1).requests.map(request => ({
          ...request,
          input: { type: 'loglikelihood' as const, messages: [], continuation: ' yes' },
        })),
      }
      const plain = await askedRun(store, [question(0), scored])
      const keys = (await leaseAll(store, plain)).map(({ key }) => key)
      const asked = testAsked(['t'], { codes: { loglikelihood: other.key } })
      const { run } = await store.runs.create(asked, testProvenance, [{ kind: 'code', ...other }])
      await store.docs.commit(run, 0, [question(0), scored], true)
      const pending = await leaseAll(store, run)
      expect(pending).toHaveLength(1)
      expect(keys).not.toContain(pending[0]!.key)
      expect(pending[0]!.input.type).toBe('loglikelihood')
    })

    test('the first answer is kept, even an empty one', async () => {
      const store = await (await makeWorld()).open()
      const run = await askedRun(store, 1)
      const [held] = await leaseAll(store, run)
      expect(await answer(store, held!, '')).toBe(true)
      expect(await answer(store, held!, 'second')).toBe(false)
      expect(await textsOf(store, run)).toEqual([''])
      expect(await store.runs.counts(run)).toMatchObject({ answered: 1, pending: 0 })
    })

    test('an answer is read as it was stored, with its metadata', async () => {
      const store = await (await makeWorld()).open()
      const run = await askedRun(store, 2)
      const [held] = await leaseAll(store, run)
      const body = { text: ' é🦦\n', finishReason: 'length' as const, reasoning: 'because', logprob: -0.25 }
      const meta = { durationMs: 12, attempts: 2, answeredAt: 5, usage: { outputTokens: 3 } }
      let keptBefore = false
      await store.requests.commitResponse(held!, body, meta, () => (keptBefore = true))
      expect(keptBefore).toBe(true)
      expect(await store.requests.answerOf(held!.key)).toEqual({ body, meta })
      const [page] = await allOf(store.requests.answerMetas(run))
      expect(page).toEqual([{ task: 0, value: meta }])
      expect(await store.requests.known([held!.key])).toEqual([{ type: 'answered', meta }])
    })

    test('an answer shared by two docs has its metadata once', async () => {
      const store = await (await makeWorld()).open()
      const run = await askedRun(store, [question(0, 'same'), question(1, 'same'), question(2)])
      await answerAll(store, run)
      expect((await allOf(store.requests.answerMetas(run))).flat()).toHaveLength(2)
    })

    test('a failure without an attempt does not count as an attempt', async () => {
      const store = await (await makeWorld()).open()
      const run = await askedRun(store, 1)
      const [held] = await leaseAll(store, run)
      const failure = { class: 'media', message: 'truncated PNG', attempts: 0 } as const
      await store.requests.commitFailure(held!, failure)
      expect((await store.requests.failures(run)).map(item => item.failure)).toEqual([failure])
      expect(await store.requests.metFailures(run)).toEqual([])
    })

    test('a refused request stays failed until failed requests are retried', async () => {
      const world = await makeWorld()
      const store = await world.open('first')
      const run = await askedRun(store, 1)
      const [held] = await leaseAll(store, run)
      await store.requests.commitFailure(held!, refusal)
      expect(await store.runs.counts(run)).toMatchObject({ answered: 0, failed: { refused: 1 }, open: 0, pending: 0 })
      expect(await store.requests.answerOf(held!.key)).toEqual({ failure: refusal })
      expect(await store.requests.known([held!.key])).toEqual([{ type: 'failed' }])
      const later = await world.open('second')
      expect(await leaseAll(later, run)).toEqual([])
      expect(await leaseAll(later, run, { retryFailed: true })).toHaveLength(1)
    })

    test('a temporary failure is open: the next process retries it, this one does not', async () => {
      const world = await makeWorld()
      const store = await world.open('first')
      const run = await askedRun(store, 1)
      const [held] = await leaseAll(store, run)
      await store.requests.commitFailure(held!, timeout)
      expect(await store.runs.counts(run)).toMatchObject({ failed: { timeout: 1 }, open: 1, pending: 0 })
      expect(await leaseAll(store, run, { retryFailed: true })).toEqual([])
      expect(await store.requests.known([held!.key])).toEqual([undefined])
      const later = await world.open('second')
      const [again] = await leaseAll(later, run)
      await answer(later, again!, 'at last')
      expect(await store.runs.counts(run)).toMatchObject({ answered: 1, failed: {}, open: 0 })
      expect(await store.requests.failures(run)).toEqual([])
      expect(await store.requests.metFailures(run)).toEqual([{ task: 0, value: timeout }])
    })

    test('the next invocation in one process retries earlier failures like another process', async () => {
      const world = await makeWorld()
      const store = await world.open('first')
      expect(await store.requests.lastFailure()).toBe(0)
      const run = await askedRun(store, 2)
      const [passing, refused] = await leaseAll(store, run)
      await store.requests.commitFailure(passing!, timeout)
      await store.requests.commitFailure(refused!, refusal)
      const failuresAfter = await store.requests.lastFailure()
      const [again, ...others] = await leaseAll(store, run, { failuresAfter })
      expect([again?.item.doc, others]).toEqual(['0', []])
      await store.requests.commitFailure(again!, timeout)
      expect(await leaseAll(store, run, { failuresAfter })).toEqual([])
      expect(await leaseAll(store, run, { failuresAfter, retryFailed: true })).toMatchObject([{ item: { doc: '1' } }])
    })

    test('a failure of a permanent class with opensAgain is open', async () => {
      const world = await makeWorld()
      const store = await world.open('first')
      const run = await askedRun(store, 1)
      const [held] = await leaseAll(store, run)
      const failure = { ...refusal, opensAgain: true }
      await store.requests.commitFailure(held!, failure)
      expect(await store.runs.counts(run)).toMatchObject({ failed: { refused: 1 }, open: 1 })
      expect((await store.requests.failures(run)).map(item => item.failure)).toEqual([failure])
      expect(await leaseAll(await world.open('second'), run)).toHaveLength(1)
    })

    test('a permanent failure applies to every run with the same request, a temporary one to its own run', async () => {
      const store = await (await makeWorld()).open()
      const run = await askedRun(store, 2)
      const [first, second] = await leaseAll(store, run)
      await store.requests.commitFailure(first!, refusal)
      await store.requests.commitFailure(second!, timeout)
      const other = await testRun(store, ['other'])
      await store.docs.commit(other, 0, questions(2), true)
      expect(await store.runs.counts(other)).toMatchObject({ failed: { refused: 1 }, pending: 1 })
    })

    test('pending requests can be failed as over budget, and reopened', async () => {
      const store = await (await makeWorld()).open()
      const run = await askedRun(store, [question(0), question(1), question(2, 'same'), question(3, 'same')])
      const [held, refused, ...rest] = await leaseAll(store, run)
      await answer(store, held!, 'yes')
      await store.requests.commitFailure(refused!, refusal)
      await store.requests.release(rest)
      expect(await store.requests.failWaiting(run, { class: 'budget', message: 'over', attempts: 0 })).toBe(1)
      expect(await store.runs.counts(run)).toMatchObject({ failed: { refused: 1, budget: 2 }, open: 2, pending: 0 })
      await store.requests.reopenOverBudget(run)
      expect(await store.runs.counts(run)).toMatchObject({ failed: { refused: 1 }, pending: 2 })
    })

    test('the latest failure of a request counts', async () => {
      const world = await makeWorld()
      const store = await world.open('first')
      const run = await askedRun(store, 1)
      for (const [owner, failure] of [
        ['first', timeout],
        ['second', refusal],
      ] as const) {
        const handle = await world.open(owner)
        for (const held of await leaseAll(handle, run)) await handle.requests.commitFailure(held, failure)
      }
      expect(await store.runs.counts(run)).toMatchObject({ failed: { refused: 1 }, open: 0 })
      expect((await store.requests.failures(run)).map(({ failure }) => failure)).toEqual([refusal])
    })

    test('failures are listed in the order of the run', async () => {
      const store = await (await makeWorld()).open()
      const run = await testRun(store, ['a', 'b'])
      await store.docs.commit(run, 1, questions(1, 7), true)
      await store.docs.commit(run, 0, questions(2), true)
      for (const held of await leaseAll(store, run)) await store.requests.commitFailure(held, timeout)
      const listed = (await store.requests.failures(run)).map(({ task, index }) => `${task}/${index}`)
      expect(listed).toEqual(['a/0', 'a/1', 'b/7'])
    })

    test('released leases can be taken again', async () => {
      const store = await (await makeWorld()).open()
      const run = await askedRun(store, 1)
      const leases = await leaseAll(store, run)
      expect(await leaseAll(store, run)).toEqual([])
      await store.requests.release(leases)
      expect(await store.requests.holds(leases)).toEqual([false])
      expect(await leaseAll(store, run)).toHaveLength(1)
    })

    test('an answer to a request of a round is stored as an item, and the first one is kept', async () => {
      const store = await (await makeWorld()).open()
      const run = await testRun(store)
      const kept = {
        body: { text: 'a', finishReason: 'stop' as const },
        meta: { durationMs: 1, attempts: 1, answeredAt: 1 },
      }
      const later = { ...kept, body: { ...kept.body, text: 'b' } }
      expect(await store.requests.keepAnswer(run, question(0), kept)).toEqual(kept)
      expect(await store.requests.keepAnswer(run, question(1, 'question 0'), later)).toEqual(kept)
      expect(await store.runs.counts(run)).toMatchObject({ items: 2, answered: 2, inputFinished: true })
    })

    test('an unknown request has no facts', async () => {
      const store = await (await makeWorld()).open()
      const run = await testRun(store)
      const [request] = question(0).requests
      const { input, generation } = request as Extract<typeof request, { input: unknown }>
      const { response } = requestKeys(run.asked)({ input, generation, sample: 0 })
      expect(await store.requests.answerOf(response)).toBeUndefined()
      expect(await store.requests.known([response])).toEqual([undefined])
      expect(await store.requests.explain(response)).toBeUndefined()
      expect(await store.requests.nextSample()).toBe(0)
    })

    test('a response key is explained by its preimage', async () => {
      const store = await (await makeWorld()).open()
      const run = await askedRun(store, [question(0)])
      const [sample] = await allOf(store.judgements.samples(run))
      const { key, input } = sample!.items[0]!.request!
      const parts = await store.requests.explain(key)
      expect(parts).toMatchObject({
        input: { preimage: { ...input, v: 1 } },
        config: { preimage: { model: run.asked.model, generation: { max_new_tokens: 8 } } },
        code: { key: run.asked.code },
        sample: 0,
      })
    })

    test('names the fields in which two runs differ', async () => {
      const store = await (await makeWorld()).open()
      const a = await askedRun(store, [question(0), question(1), question(2, 'old')])
      const b = await testRun(store, ['t'], { repeat: 1 })
      await store.docs.commit(b, 0, [question(0), question(1), question(2, 'new'), question(3)], true)
      expect(await store.requests.whyMiss(a, b)).toEqual({
        shared: 3,
        differing: 1,
        reasons: [
          expect.objectContaining({
            path: 'input.messages[0].content[0].text',
            before: 'old',
            after: 'new',
            requests: 1,
            example: 't/2',
            isUniform: true,
          }),
        ],
      })
    })

    test('a record is found under the key that the judge computes', async () => {
      const store = await (await makeWorld()).open()
      const run = await askedRun(store, 1)
      const [sample] = await allOf(store.judgements.samples(run))
      expect(judgeRecordKey(sample!.record)).toEqual(judgeRecordKey(question(0).record))
    })
  })
}

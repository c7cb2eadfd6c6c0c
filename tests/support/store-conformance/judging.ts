import { describe, expect, test } from 'vitest'
import { without } from '../../../base/values/without.js'
import { makeComparedDoc } from '../../../cache/facts/compared-doc.js'
import { sha256, type MediaDigest } from '../../../cache/digest.js'
import type { Aggregate, AnsweredDoc, Input, Judgement, Run, ScoreBody } from '../../../cache/records.js'
import type { ComparedDoc, DraftDoc, Store } from '../../../cache/store.js'
import { answer, question, testRun } from '../store.js'
import type { StoreWorld } from './world.js'
import { allOf, answerAll, askedRun, judgeStart, leaseAll, questions, refusal, rules } from './scene.js'

type MakeWorld = () => Promise<StoreWorld>

const otherRules = { ...rules, config: { metric_list: [{ metric: 'other' }] } }

const scored = (m: number, outcome: ScoreBody['outcome'] = 'scored'): ScoreBody => ({
  outcome,
  values: { m },
  extracted: { none: 'x' },
})

const show = (picture: MediaDigest): Input['messages'] => [
  {
    role: 'user',
    content: [
      { type: 'image', media: picture },
      { type: 'text', text: 'What is it?' },
    ],
  },
]

const makeDoc = (index: number, input: Input): DraftDoc => ({
  ...question(index),
  requests: [{ choice: 0, sample: 0, input, generation: {} }],
})

async function answeredRun(store: Store, docs: number): Promise<Run> {
  const run = await askedRun(store, docs)
  await answerAll(store, run)
  return run
}

/** Gives these scores to the docs that can be judged, in order. */
async function score(
  store: Store,
  judgement: Judgement,
  bodies: readonly ScoreBody[],
): Promise<readonly AnsweredDoc[]> {
  const { docs } = await store.judgements.docsToJudge(judgement, judgeStart, 100)
  const drafts = bodies.map((body, at) => ({ doc: docs[at]!, body }))
  await store.judgements.commitScores(judgement, drafts)
  return docs
}

/** Reads the record of a compared doc, which some stores read when it is asked for, and leaves out its key, which few stores give. */
function readAll(doc: ComparedDoc): ComparedDoc {
  const { record } = doc
  return { ...without(doc, 'recordKey'), record }
}

const indexes = (docs: readonly AnsweredDoc[]): readonly number[] => docs.map(doc => doc.index)

export function describeJudging(makeWorld: MakeWorld): void {
  describe('judgements', () => {
    test('a doc reaches the judge once its last answer is stored, in any order of answers', async () => {
      const store = await (await makeWorld()).open()
      const run = await askedRun(store, 3)
      const judgement = await store.judgements.open(run, [rules])
      const empty = await store.judgements.docsToJudge(judgement, judgeStart, 10)
      expect(empty).toMatchObject({ docs: [], reused: [], exhausted: true })
      const [first, , third] = await leaseAll(store, run)
      await answer(store, third!, 'c')
      const next = await store.judgements.docsToJudge(judgement, empty.next, 10)
      expect(indexes(next.docs)).toEqual([2])
      await store.judgements.commitScores(
        judgement,
        next.docs.map(doc => ({ doc, body: scored(1) })),
      )
      await answer(store, first!, 'a')
      expect(indexes((await store.judgements.docsToJudge(judgement, next.next, 10)).docs)).toEqual([0])
    })

    test('a doc with several requests is judged when all are answered, with its answers in order', async () => {
      const store = await (await makeWorld()).open()
      const [request] = question(0).requests
      const places = [
        { choice: 0, sample: 0 },
        { choice: 0, sample: 1 },
        { choice: 1, sample: 0 },
      ]
      const requests = places.map(place => {
        const content = [{ type: 'text' as const, text: `choice ${place.choice}` }]
        return {
          ...request!,
          ...place,
          input: { type: 'generate_until' as const, messages: [{ role: 'user' as const, content }] },
        }
      }) as (typeof request)[]
      const run = await askedRun(store, [{ ...question(0), requests: requests.map(one => one!) }])
      const judgement = await store.judgements.open(run, [rules])
      const [a, b, c] = await leaseAll(store, run)
      for (const [lease, text] of [
        [c, 'c'],
        [a, 'a'],
      ] as const)
        await answer(store, lease!, text)
      expect((await store.judgements.docsToJudge(judgement, judgeStart, 10)).docs).toEqual([])
      await answer(store, b!, 'b')
      const [doc] = (await store.judgements.docsToJudge(judgement, judgeStart, 10)).docs
      expect(doc!.answers.map(({ choice, sample, body }) => [choice, sample, body.text])).toEqual([
        [0, 0, 'a'],
        [0, 1, 'b'],
        [1, 0, 'c'],
      ])
      expect(doc).toMatchObject({ task: 0, index: 0, id: '0', record: question(0).record })
    })

    test('a doc answered since the last look is returned once', async () => {
      const store = await (await makeWorld()).open()
      const run = await testRun(store)
      const judgement = await store.judgements.open(run, [rules])
      await store.docs.commit(run, 0, questions(1), false)
      await answerAll(store, run)
      const first = await store.judgements.docsToJudge(judgement, judgeStart, 10)
      await store.docs.commit(run, 0, questions(2, 1), true)
      await answerAll(store, run)
      expect(indexes((await store.judgements.docsToJudge(judgement, first.next, 10)).docs)).toEqual([1, 2])
    })

    test('pages of any size return every answered doc exactly once', async () => {
      const store = await (await makeWorld()).open()
      const run = await answeredRun(store, 17)
      for (const limit of [1, 2, 5, 17, 18]) {
        const judgement = await store.judgements.open(run, [{ ...rules, config: { metric_list: [], limit } }])
        const seen: number[] = []
        for (let cursor = judgeStart, more = true; more;) {
          const batch = await store.judgements.docsToJudge(judgement, cursor, limit)
          seen.push(...indexes(batch.docs))
          cursor = batch.next
          more = !batch.exhausted
        }
        expect(seen).toEqual(Array.from({ length: 17 }, (_, i) => i))
      }
    })

    test('a doc with a failed request is not judged', async () => {
      const store = await (await makeWorld()).open()
      const run = await askedRun(store, 2)
      const [failed, held] = await leaseAll(store, run)
      await store.requests.commitFailure(failed!, refusal)
      await answer(store, held!, 'yes')
      const judgement = await store.judgements.open(run, [rules])
      expect(indexes((await store.judgements.docsToJudge(judgement, judgeStart, 10)).docs)).toEqual([1])
    })

    test('equal answers under the same rules are not scored again, in any run', async () => {
      const store = await (await makeWorld()).open()
      const run = await answeredRun(store, 1)
      await score(store, await store.judgements.open(run, [rules]), [scored(0, 'unparsed')])
      const other = await testRun(store, ['t'], { repeat: 1 })
      await store.docs.commit(other, 0, questions(1), true)
      const again = await store.judgements.open(other, [rules])
      const batch = await store.judgements.docsToJudge(again, judgeStart, 10)
      expect(batch).toMatchObject({ docs: [], reused: [{ task: 0, outcome: 'unparsed' }] })
      expect(await allOf(store.judgements.scores(again))).toMatchObject([{ index: 0, body: scored(0, 'unparsed') }])
    })

    test('equal answers of different attempts share a score only if the rules do not read the attempt', async () => {
      const store = await (await makeWorld()).open()
      const answered = async (task: string, text: string, durationMs: number): Promise<Run> => {
        const run = await testRun(store, [task])
        const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text }] }]
        await store.docs.commit(run, 0, [makeDoc(0, { type: 'generate_until', messages })], true)
        const [lease] = await leaseAll(store, run)
        const meta = { durationMs, attempts: 1, answeredAt: 0, usage: { inputTokens: 7, outputTokens: 1 } }
        await store.requests.commitResponse(lease!, { text: 'yes', finishReason: 'stop' }, meta)
        return run
      }
      const [fast, slow] = [await answered('fast', 'Is it?', 100), await answered('slow', 'Is it so?', 2000)]
      const timed = { ...rules, config: { ...rules.config, score_attempts: ['latency'] } }
      for (const one of [rules, timed]) await score(store, await store.judgements.open(fast, [one]), [scored(1)])
      const plainly = await store.judgements.docsToJudge(await store.judgements.open(slow, [rules]), judgeStart, 10)
      expect(plainly).toMatchObject({ docs: [], reused: [{ outcome: 'scored' }] })
      const judgement = await store.judgements.open(slow, [timed])
      const [doc] = await score(store, judgement, [scored(0)])
      expect(doc?.answers[0]?.attempt).toEqual({ seconds: 2 })
      expect(await allOf(store.judgements.scores(judgement))).toMatchObject([{ body: { values: { m: 0 } } }])
      // A later judgement by these rules finds the score of the same attempt.
      await store.judgements.open(slow, [otherRules])
      const later = await store.judgements.docsToJudge(await store.judgements.open(slow, [timed]), judgeStart, 10)
      expect(later).toMatchObject({ docs: [], reused: [{ outcome: 'scored' }] })
      expect(await store.upkeep.verify({ repair: false })).toMatchObject({ damaged: [] })
    })

    test('counts docs by outcome, and omits outcomes without docs', async () => {
      const store = await (await makeWorld()).open()
      const run = await answeredRun(store, 3)
      const judgement = await store.judgements.open(run, [rules])
      expect(await store.judgements.outcomes(judgement)).toEqual({})
      await score(store, judgement, [scored(1), scored(0, 'error'), scored(0, 'unparsed')])
      expect(await store.judgements.outcomes(judgement)).toEqual({ scored: 2, error: 1 })
      // The same scores in another judgement do not count.
      const again = await store.judgements.open(run, [otherRules])
      expect(await store.judgements.outcomes(again)).toEqual({})
    })

    test('new rules make a new judgement, and the old one stays', async () => {
      const store = await (await makeWorld()).open()
      const run = await answeredRun(store, 1)
      const first = await store.judgements.open(run, [rules])
      const same = await store.judgements.open(run, [rules])
      const second = await store.judgements.open(run, [otherRules])
      expect([first.number, same.number, second.number]).toEqual([1, 1, 2])
      expect((await store.judgements.list(run)).map(judgement => judgement.number)).toEqual([1, 2])
      expect(second.tasks[0]?.judging).toEqual(otherRules)
      // The first rules are no longer the newest judgement, so a new one is opened.
      expect((await store.judgements.open(run, [rules])).number).toBe(3)
    })

    test('judgements opened concurrently by several handles are one', async () => {
      const world = await makeWorld()
      const [first, second] = [await world.open('first'), await world.open('second')]
      const run = await answeredRun(first, 1)
      const opened = await Promise.all([first, second].map(store => store.judgements.open(run, [rules])))
      expect(opened.map(({ number }) => number)).toEqual([1, 1])
      expect(await second.judgements.list(run)).toHaveLength(1)
    })

    test('a closed judgement has its aggregates', async () => {
      const store = await (await makeWorld()).open()
      const run = await answeredRun(store, 1)
      const judgement = await store.judgements.open(run, [rules])
      expect(judgement.finishedAt).toBeUndefined()
      await score(store, judgement, [scored(1)])
      const aggregate: Aggregate = {
        ...{ task: 't', metric: 'm', filter: 'none', value: 1, stderr: null, interval: null, intervalMethod: 'none' },
        ...{ higherIsBetter: true, n: 1, total: 1, unparsed: 0, empty: 0 },
      }
      const closed = await store.judgements.close(judgement, [aggregate])
      expect(closed).toMatchObject({ ref: judgement.ref, number: 1, aggregates: [aggregate] })
      expect(closed.finishedAt).toBeDefined()
      expect(await store.judgements.list(run)).toEqual([closed])
    })

    test('scores come in the order of task and doc, with those of an earlier judgement', async () => {
      const store = await (await makeWorld()).open()
      const run = await answeredRun(store, 3)
      const first = await store.judgements.open(run, [rules])
      await score(store, first, [scored(0), scored(1)])
      const second = await store.judgements.open(run, [otherRules])
      await score(store, second, [scored(0), scored(0), scored(1)])
      const seen = await allOf(store.judgements.scores(second, first))
      expect(seen.map(({ index, body, before }) => [index, body.values['m'], before?.values['m']])).toEqual([
        [0, 0, 0],
        [1, 0, 1],
        [2, 1, undefined],
      ])
      expect(seen[0]!.before).toBe(seen[0]!.body)
      const old = await allOf(store.judgements.scores(first, second))
      expect(old.map(({ before }) => before?.values['m'])).toEqual([0, 0])
    })

    test('a failed judge is called again when the judgement is reopened, and its score is replaced', async () => {
      const store = await (await makeWorld()).open()
      const run = await answeredRun(store, 2)
      const judgement = await store.judgements.open(run, [rules])
      await score(store, judgement, [scored(0, 'judge_failed'), scored(0, 'error')])
      expect((await store.judgements.docsToJudge(judgement, judgeStart, 10)).docs).toEqual([])
      const again = await store.judgements.open(run, [rules])
      expect(await score(store, again, [scored(1), scored(1)])).toHaveLength(2)
      expect(await store.judgements.outcomes(again)).toEqual({ scored: 2 })
    })

    test('a revised record applies to this judgement alone', async () => {
      const store = await (await makeWorld()).open()
      const run = await answeredRun(store, 1)
      const before = await store.judgements.open(run, [rules])
      await score(store, before, [scored(0)])
      const judgement = await store.judgements.open(run, [otherRules])
      await store.judgements.reviseRecords(judgement, 0, [{ index: 0, record: { target: 'mended', doc: {} } }])
      const { docs } = await store.judgements.docsToJudge(judgement, judgeStart, 10)
      expect(docs[0]?.record.target).toBe('mended')
      const targets = async (of?: Judgement) =>
        (await allOf(store.judgements.samples(run, of))).map(({ record }) => record.target)
      expect([await targets(judgement), await targets(before), await targets()]).toEqual([
        ['mended'],
        ['answer 0'],
        ['answer 0'],
      ])
    })
  })

  describe('samples', () => {
    test('comparisons read the same requests as samples, also of pictures, log-likelihoods and similar texts', async () => {
      const store = await (await makeWorld()).open()
      const picture = sha256<'media'>('picture')
      const docs = [
        question(0, 'a text with "media":"sha256:00" and "type":"loglikelihood" in it'),
        makeDoc(1, { type: 'generate_until', messages: show(picture) }),
        makeDoc(2, { type: 'loglikelihood', messages: show(picture), continuation: ' yes' }),
      ]
      const run = await askedRun(store, docs)
      await answerAll(store, run)
      const judgement = await store.judgements.open(run, [rules])
      await score(store, judgement, [scored(1), scored(0)])
      const compared = await allOf(store.judgements.comparedDocs(run, judgement))
      expect(compared.map(readAll)).toEqual(
        (await allOf(store.judgements.samples(run, judgement))).map(makeComparedDoc),
      )
      expect(compared.map(({ media }) => media)).toEqual([undefined, [picture], [picture]])
      expect(compared.map(({ requests }) => requests.map(({ isLikelihood }) => isLikelihood))).toEqual([
        [false],
        [false],
        [true],
      ])
    })

    test('docs come in the order of task and index, each with all its results', async () => {
      const store = await (await makeWorld()).open()
      const run = await testRun(store, ['a', 'b'])
      await store.docs.commit(run, 1, questions(2, 3), true)
      await store.docs.commit(run, 0, questions(2), true)
      const leases = await leaseAll(store, run)
      const [answered, failed] = leases
      await answer(store, answered!, 'yes')
      await store.requests.commitFailure(failed!, refusal)
      const judgement = await store.judgements.open(run, [rules, rules])
      await score(store, judgement, [scored(1)])
      const samples = await allOf(store.judgements.samples(run, judgement))
      expect(samples.map(({ task, index }) => [task, index])).toEqual([
        [0, 0],
        [0, 1],
        [1, 3],
        [1, 4],
      ])
      const compared = await allOf(store.judgements.comparedDocs(run, judgement))
      expect(compared.map(readAll)).toEqual(samples.map(makeComparedDoc))
      expect(compared[2]!.requests).toHaveLength(1)
      const [, , whole, broken] = samples
      expect(whole).toMatchObject({ id: '3', score: scored(1) })
      expect(whole!.items[0]!.response?.body.text).toBe('yes')
      expect(whole!.items[0]!.request).toMatchObject({ key: answered!.key, generation: { max_new_tokens: 8 } })
      expect(broken!.items[0]).toMatchObject({ failure: refusal })
      expect(broken!.items[0]!.response).toBeUndefined()
    })

    test('a doc is found by its id, and the first of several with the same id', async () => {
      const store = await (await makeWorld()).open()
      const run = await testRun(store, ['a', 'b'])
      await store.docs.commit(run, 0, [{ ...question(0), id: 'x' }], true)
      await store.docs.commit(
        run,
        1,
        questions(4).map(doc => ({ ...doc, id: doc.index < 2 ? '7' : 'x' })),
        true,
      )
      const { judgements } = store
      const found = [await judgements.findDoc(run, 0, 'x'), await judgements.findDoc(run, 1, 'x')]
      expect([...found, await judgements.findDoc(run, 1, '7')]).toEqual([0, 2, 0])
      expect(await judgements.findDoc(run, 0, '7')).toBeUndefined()
    })

    test('without a judgement, docs have no score', async () => {
      const store = await (await makeWorld()).open()
      const run = await answeredRun(store, 1)
      await score(store, await store.judgements.open(run, [rules]), [scored(1)])
      expect((await allOf(store.judgements.samples(run))).map(sample => sample.score)).toEqual([undefined])
    })
  })
}

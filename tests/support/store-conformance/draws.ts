import { describe, expect, test } from 'vitest'
import { sha256, type MediaDigest } from '../../../cache/digest.js'
import type { DraftDoc } from '../../../cache/store.js'
import { question } from '../store.js'
import { allOf, answerAll, askedRun, judgeStart, rules } from './scene.js'
import type { StoreWorld } from './world.js'

/** A doc that asks these questions, one after another. */
const asking = (index: number, ...numbers: readonly number[]): DraftDoc => ({
  ...question(index),
  requests: numbers.map((number, sample) => ({ ...question(number).requests[0]!, sample })),
})

export function describeDraws(makeWorld: () => Promise<StoreWorld>): void {
  /** The draws of docs that are all answered and scored, each as the index of the first doc with this draw. */
  async function drawsOf(docs: readonly DraftDoc[]): Promise<readonly number[]> {
    const store = await (await makeWorld()).open()
    const run = await askedRun(store, docs)
    await answerAll(store, run)
    const judgement = await store.judgements.open(run, [rules])
    const { docs: answered } = await store.judgements.docsToJudge(judgement, judgeStart, 100)
    const body = { outcome: 'scored' as const, values: { m: 1 }, extracted: {} }
    await store.judgements.commitScores(
      judgement,
      answered.map(doc => ({ doc, body })),
    )
    const draws = (await allOf(store.judgements.scores(judgement))).map(({ draw }) => draw)
    for (const draw of draws) expect(draw).toBeTypeOf('number')
    return draws.map(draw => draws.indexOf(draw))
  }

  test("a score has the media of its doc's question, without those of examples", async () => {
    const store = await (await makeWorld()).open()
    const [example, first, last] = [sha256<'media'>('example'), sha256<'media'>('own'), sha256<'media'>('other')]
    const show = (...shown: readonly MediaDigest[]): DraftDoc => {
      const { requests, ...doc } = question(0)
      const content = [
        ...[example, example].map(media => ({ type: 'image' as const, media })),
        { type: 'text' as const, text: '"media":"no"' },
        ...shown.map(media => ({ type: 'image' as const, media })),
        { type: 'text' as const, text: 'question' },
      ]
      const input = { type: 'generate_until' as const, messages: [{ role: 'user' as const, content }] }
      const record = { ...doc.record, exampleMedia: 2 }
      return { ...doc, record, requests: requests.map(request => ({ ...request, input })) }
    }
    const run = await askedRun(store, [show(first, last, first), { ...question(1) }])
    await answerAll(store, run)
    const judgement = await store.judgements.open(run, [rules])
    const { docs } = await store.judgements.docsToJudge(judgement, judgeStart, 100)
    const body = { outcome: 'scored' as const, values: { m: 1 }, extracted: {} }
    await store.judgements.commitScores(
      judgement,
      docs.map(doc => ({ doc, body })),
    )
    expect((await allOf(store.judgements.scores(judgement))).map(({ media }) => media)).toEqual([
      [first, last],
      undefined,
    ])
    expect((await allOf(store.judgements.comparedDocs(run, judgement))).map(({ media }) => media)).toEqual([
      [first, last],
      undefined,
    ])
  })

  describe('draws', () => {
    test('docs with equal requests share a draw, and other docs have others', async () => {
      expect(await drawsOf([asking(0, 7), asking(1, 8), asking(2, 7), asking(3, 9)])).toEqual([0, 1, 0, 3])
    })

    test('a doc with several requests has the draw of its last one', async () => {
      expect(await drawsOf([asking(0, 7, 8), asking(1, 7, 9), asking(2, 6, 9)])).toEqual([0, 1, 1])
    })
  })
}

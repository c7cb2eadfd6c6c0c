import { expect, test, vi } from 'vitest'
import type { AnsweredDoc } from '../../../cache/records.js'
import type { JudgeCursor, Store } from '../../../cache/store.js'
import { answer } from '../store.js'
import { askedRun, judgeStart, leaseAll, rules } from './scene.js'
import type { StoreWorld } from './world.js'

/** Tests how the judges of several processes share the docs of a run, in stores that processes share. */
export function describeOwnAnswers(makeWorld: () => Promise<StoreWorld>): void {
  test('the judge of each process finds its own answers at once, and those of others some seconds later', async () => {
    const world = await makeWorld()
    const [judge, other] = [await world.open('judge'), await world.open('other')]
    const run = await askedRun(judge, 5)
    const judgement = await judge.judgements.open(run, [rules])
    const [first, second, third, fourth] = await leaseAll(judge, run)
    const score = (store: Store, docs: readonly AnsweredDoc[]): Promise<void> =>
      store.judgements.commitScores(
        judgement,
        docs.map(doc => ({ doc, body: { outcome: 'scored', values: { m: 1 }, extracted: {} } })),
      )
    const seen: number[] = []
    let cursor: JudgeCursor = judgeStart
    const look = async (ownFirst = true): Promise<readonly number[]> => {
      const batch = await judge.judgements.docsToJudge(judgement, cursor, 10, { ownFirst })
      cursor = batch.next
      await score(judge, batch.docs)
      const docs = batch.docs.map(({ index }) => index)
      seen.push(...docs)
      return docs
    }
    expect(await look()).toEqual([])
    await answer(other, second!, 'theirs')
    await answer(judge, first!, 'ours')
    expect(await look()).toEqual([0])
    await vi.waitFor(async () => expect(await look()).toEqual([1]), { timeout: 20_000, interval: 100 })
    // A doc that the other process has scored meanwhile is not found again.
    await answer(other, third!, 'theirs')
    const { docs } = await other.judgements.docsToJudge(judgement, judgeStart, 10)
    await score(other, docs)
    await answer(other, fourth!, 'theirs')
    // At the end of a run, everything is read at once.
    expect(await look(false)).toEqual([3])
    expect(seen).toEqual([0, 1, 3])
  })
}

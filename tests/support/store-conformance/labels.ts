import { describe, expect, test } from 'vitest'
import { labelAddress } from '../../../cache/facts/label-rules.js'
import type { LabelAddress, NewLabel, Run } from '../../../cache/records.js'
import type { Store } from '../../../cache/store.js'
import { question, testRun } from '../store.js'
import type { StoreWorld } from './world.js'
import { allOf, answerAll, askedRun, questions, rules } from './scene.js'

type MakeWorld = () => Promise<StoreWorld>

async function answeredRun(store: Store, docs = 3): Promise<Run> {
  const run = await askedRun(store, docs)
  await answerAll(store, run)
  return run
}

async function addresses(store: Store, run: Run): Promise<readonly (LabelAddress | undefined)[]> {
  return (await allOf(store.judgements.samples(run))).map(labelAddress)
}

async function addressOf(store: Store, run: Run, index: number): Promise<LabelAddress> {
  const address = (await addresses(store, run))[index]
  if (address === undefined) throw new Error(`doc ${index} has no answer`)
  return address
}

const wrongBy = (author: string, address: LabelAddress): NewLabel => ({
  ...address,
  ...{ label: 'wrong', note: 'The model has counted twice.', author, run: 'calm-heron-19c2', task: 't', doc: '1' },
})

export function describeLabels(makeWorld: MakeWorld): void {
  describe('labels', () => {
    test('every process finds a label by the content that it belongs to', async () => {
      const world = await makeWorld()
      const [store, other] = [await world.open('first'), await world.open('second')]
      const run = await answeredRun(store)
      const [first, second] = [await addressOf(store, run, 0), await addressOf(store, run, 1)]
      const label = wrongBy('Ada', second)
      const stored = await store.labels.add(label)
      expect(stored).toEqual({ ...label, id: stored.id, at: stored.at })
      expect(Math.abs(stored.at - Date.now())).toBeLessThan(60_000)
      expect(await other.labels.of([first, second])).toEqual([[], [stored]])
      expect(await other.labels.ofRun(run)).toEqual([{ task: 0, index: 1, labels: [stored] }])
      expect(await allOf(other.labels.list())).toEqual([stored])
    })

    test('the history contains each change, with increasing times', async () => {
      const store = await (await makeWorld()).open()
      const run = await answeredRun(store)
      const label = wrongBy('Ada', await addressOf(store, run, 0))
      const made = [
        await store.labels.add(label),
        await store.labels.add({ ...label, author: 'Bob', label: 'right', note: '' }),
        await store.labels.add({ ...label, label: null, note: '' }),
      ]
      expect(await store.labels.of([label])).toEqual([made])
      expect(made[2]!.at).toBeGreaterThan(made[0]!.at)
      expect(await allOf(store.labels.list(made[0]!.id))).toEqual(made.slice(1))
    })

    test("equal answers have their labels in each run and judgement, even after the label's run is removed", async () => {
      const store = await (await makeWorld()).open()
      const run = await answeredRun(store)
      const stored = await store.labels.add(wrongBy('Ada', await addressOf(store, run, 1)))
      const other = await testRun(store, ['other'])
      await store.docs.commit(other, 0, questions(2, 1), true)
      const judgement = await store.judgements.open(other, [rules])
      const expected = [{ task: 0, index: 1, labels: [stored] }]
      expect(await store.labels.ofRun(other, judgement)).toEqual(expected)
      await store.runs.remove(run)
      expect(await store.labels.ofRun(other)).toEqual(expected)
    })

    test('a doc whose target was corrected has the labels of the corrected doc', async () => {
      const store = await (await makeWorld()).open()
      const run = await answeredRun(store)
      const judgement = await store.judgements.open(run, [rules])
      await store.judgements.reviseRecords(judgement, 0, [{ index: 1, record: { target: 'corrected', doc: {} } }])
      const [, corrected] = await allOf(store.judgements.samples(run, judgement))
      const after = await store.labels.add(wrongBy('Ada', labelAddress(corrected!)!))
      const before = await store.labels.add(wrongBy('Ada', await addressOf(store, run, 1)))
      expect(await store.labels.ofRun(run, judgement)).toEqual([{ task: 0, index: 1, labels: [after] }])
      expect(await store.labels.ofRun(run)).toEqual([{ task: 0, index: 1, labels: [before] }])
    })

    test('other answers to the same doc, and a doc without an answer, have no label', async () => {
      const store = await (await makeWorld()).open()
      const run = await answeredRun(store)
      await store.labels.add(wrongBy('Ada', await addressOf(store, run, 0)))
      const other = await testRun(store, ['t'], { model: { backend: 'dummy', args: { other: true } } })
      await store.docs.commit(other, 0, [question(0)], true)
      expect(await addresses(store, other)).toEqual([undefined])
      expect(await store.labels.ofRun(other)).toEqual([])
    })

    test('labels of another store are merged once, with their times', async () => {
      const store = await (await makeWorld()).open()
      const run = await answeredRun(store)
      const label = { ...wrongBy('Ada', await addressOf(store, run, 0)), at: 5 }
      const back = { ...label, label: null, note: '', at: 6 }
      expect(await store.labels.merge([label, back, label])).toBe(2)
      expect(await store.labels.merge([back, label])).toBe(0)
      const [history] = await store.labels.of([label])
      expect(history).toMatchObject([label, back])
    })

    test('rejects an invalid label, and stores nothing of its file', async () => {
      const store = await (await makeWorld()).open()
      const run = await answeredRun(store)
      const label = wrongBy('Ada', await addressOf(store, run, 0))
      const wrong = [
        { note: 'x'.repeat(10_001) },
        { note: 'a\u0000' },
        { note: '\ud83d' },
        { author: ' ' },
        { author: 'a\nb' },
        { label: 'good' as 'right' },
      ]
      for (const fields of wrong)
        await expect(store.labels.add({ ...label, ...fields })).rejects.toMatchObject({ code: 'usage' })
      const made = { ...label, at: 1 }
      await expect(store.labels.merge([made, { ...made, author: '' }])).rejects.toMatchObject({ code: 'usage' })
      expect(await allOf(store.labels.list())).toEqual([])
    })
  })

  describe('tags of runs', () => {
    test('tags can be added and removed, and every process reads them in order', async () => {
      const world = await makeWorld()
      const [store, other] = [await world.open('first'), await world.open('second')]
      const [run, second] = [await testRun(store), await testRun(store, ['b'])]
      expect(await other.runs.tags()).toEqual(new Map())
      expect(await store.runs.tag(run, { add: ['paper: table 2', 'baseline', 'baseline'] })).toEqual([
        'baseline',
        'paper: table 2',
      ])
      expect(await store.runs.tag(run, { add: ['a/b_c-1.0', 'über'], remove: ['baseline', 'never there'] })).toEqual([
        'a/b_c-1.0',
        'paper: table 2',
        'über',
      ])
      await store.runs.tag(second, { add: ['x'] })
      await store.runs.tag(second, { remove: ['x'] })
      expect(await other.runs.tags()).toEqual(new Map([[run.ref, ['a/b_c-1.0', 'paper: table 2', 'über']]]))
    })

    test('a removed run loses its tags', async () => {
      const store = await (await makeWorld()).open()
      const run = await testRun(store)
      await store.runs.tag(run, { add: ['baseline'] })
      await store.runs.remove(run)
      await testRun(store)
      expect(await store.runs.tags()).toEqual(new Map())
    })

    test('rejects a malformed tag and more than 50 tags, and changes nothing', async () => {
      const store = await (await makeWorld()).open()
      const run = await testRun(store)
      for (const tag of ['', ' a', 'a ', 'a\nb', 'a\u001b[31m', 'x'.repeat(61), '<b>'])
        await expect(store.runs.tag(run, { add: ['fine', tag] })).rejects.toMatchObject({ code: 'usage' })
      const many = Array.from({ length: 51 }, (_, number) => `tag ${number}`)
      await expect(store.runs.tag(run, { add: many })).rejects.toThrow('51 tags; at most 50 are possible')
      expect(await store.runs.tags()).toEqual(new Map())
      expect(await store.runs.tag(run, { add: many.slice(1) })).toHaveLength(50)
    })
  })
}

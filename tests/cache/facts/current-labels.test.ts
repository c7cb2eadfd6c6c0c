import { expect, test } from 'vitest'
import { sha256 } from '../../../cache/digest.js'
import type { StoredLabel } from '../../../cache/records.js'
import { currentLabels, readSampleLabels, labelsOfRun, placeKey } from '../../../cache/facts/current-labels.js'
import { findSample, labelSample } from '../../../src/labels/labelled-sample.js'
import { sampleAt } from '../../../src/reading/samples/sample-at.js'
import { MemoryStore } from '../../support/memory-store.js'
import { allOf, answerAll, askedRun, questions } from '../../support/store-conformance/scene.js'
import { testRun } from '../../support/store.js'

const entry = (fields: Partial<StoredLabel>): StoredLabel => ({
  ...{ record: sha256<'judge-record'>('r'), answers: sha256<'answers'>('a'), label: 'right', note: '', author: 'Ada' },
  ...{ run: 'r', task: 't', doc: '1', id: 1, at: 1 },
  ...fields,
})

test('the newest label of each author counts, by its own time', () => {
  const history = [
    entry({ id: 1, at: 5 }),
    entry({ id: 2, at: 3, label: 'wrong' }),
    entry({ id: 3, at: 4, author: 'Bob', label: 'unclear' }),
    entry({ id: 4, at: 1, author: 'Cleo' }),
    entry({ id: 5, at: 2, author: 'Cleo', label: null }),
    entry({ id: 6, at: 5, label: 'wrong' }),
  ]
  expect(currentLabels(history).map(({ id }) => id)).toEqual([3, 6])
})

test('shows current labels for a sample and for its run', async () => {
  const store = new MemoryStore()
  const run = await askedRun(store, 3)
  await answerAll(store, run)
  const [first, second] = await allOf(store.judgements.samples(run))
  const opinion = { label: 'wrong', note: 'No.', author: 'Ada' } as const
  const stored = await labelSample(store, run, second!, opinion)
  expect(stored).toMatchObject({ ...opinion, run: run.name, task: 't', doc: '1' })
  expect(await readSampleLabels(store, second!)).toEqual([stored])
  expect(await readSampleLabels(store, first!)).toEqual([])
  expect(await labelsOfRun(store, run)).toEqual(new Map([[placeKey({ task: 0, index: 1 }), [stored]]]))
  await labelSample(store, run, second!, { ...opinion, label: null })
  expect(await readSampleLabels(store, second!)).toEqual([])
  expect(await labelsOfRun(store, run)).toEqual(new Map())
})

test('a sample without an answer cannot be labelled', async () => {
  const store = new MemoryStore()
  const run = await askedRun(store, 1)
  const [sample] = await allOf(store.judgements.samples(run))
  const refused = labelSample(store, run, sample!, { label: 'right', note: '', author: 'Ada' })
  await expect(refused).rejects.toThrow('has no answer that can be labelled')
})

test('finds a doc by its task and id, even if both contain slashes or the id is another number than the index', async () => {
  const store = new MemoryStore()
  const run = await testRun(store, ['a', 'a/b'])
  await store.docs.commit(run, 0, [{ ...questions(1)[0]!, id: 'b/7' }], true)
  await store.docs.commit(
    run,
    1,
    questions(3).map(doc => ({ ...doc, id: String(2 - doc.index) })),
    true,
  )
  const placeOf = async (name: string) => {
    const { task, index } = await findSample(store, { run }, name)
    return [task, index]
  }
  expect(await placeOf('a/b/7')).toEqual([0, 0])
  expect(await placeOf('a/b/0')).toEqual([1, 2])
  expect(await placeOf('a/b/1')).toEqual([1, 1])
  await expect(findSample(store, { run }, 'a/9')).rejects.toThrow('has no doc "a/9"')
  await expect(findSample(store, { run }, 'c/1')).rejects.toThrow('one of the tasks a, a/b')
  expect(await sampleAt(store, { run }, { task: 0, index: 1 })).toBeUndefined()
})

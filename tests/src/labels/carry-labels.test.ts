import { expect, test } from 'vitest'
import { canonicalJson } from '../../../base/values/canonical-json.js'
import type { Store } from '../../../cache/store.js'
import { exportedJson, exportedLabels, labelsCsv } from '../../../src/labels/export-labels.js'
import { labelsIn } from '../../../src/labels/import-labels.js'
import { labelSample } from '../../../src/labels/labelled-sample.js'
import { MemoryStore } from '../../support/memory-store.js'
import { allOf, answerAll, askedRun, judgeStart, rules } from '../../support/store-conformance/scene.js'

/** A store with a scored run in which docs 1 and 900 of 1,000 are labelled, and doc 2's label was taken back. */
async function labelledStore() {
  const store = new MemoryStore()
  const run = await askedRun(store, 1_000)
  for (let batch = 0; batch < 10; batch++) await answerAll(store, run)
  const judgement = await store.judgements.open(run, [rules])
  const { docs } = await store.judgements.docsToJudge(judgement, judgeStart, 1_000)
  await store.judgements.commitScores(
    judgement,
    docs.map(doc => ({ doc, body: { outcome: 'scored', values: { m: 0 }, extracted: {} } })),
  )
  const closed = await store.judgements.close(judgement, [])
  const samples = await allOf(store.judgements.samples(run))
  const say = (index: number, label: 'right' | 'wrong' | null, note = '') =>
    labelSample(store, run, samples[index]!, { label, note, author: 'Ada' })
  await say(1, 'right', 'It says "1",\nas =the= target does.')
  await say(2, 'wrong')
  await say(2, null)
  await say(900, 'wrong')
  return { store, run, judgement: closed }
}

const linesOf = async (store: Store, query: Parameters<typeof exportedLabels>[1] = {}): Promise<readonly string[]> =>
  (await allOf(exportedLabels(store, query))).map(label => JSON.stringify(exportedJson(label)))

test('an export contains each current label once, with target, answer and score', async () => {
  const { store, run, judgement } = await labelledStore()
  const lines = await linesOf(store)
  expect(lines.map(line => JSON.parse(line) as unknown)).toMatchObject([
    {
      ...{ label: 'right', author: 'Ada', run: run.name, task: 't', doc_id: '1', doc_index: 1, target: 'answer 1' },
      ...{
        doc: { question: 'question 1' },
        answer: '1',
        scored_by: `${run.name}@1`,
        outcome: 'scored',
        values: { m: 0 },
      },
    },
    { label: 'wrong', doc_id: '900', answer: '900' },
  ])
  expect(await linesOf(store, { run: { run, judgement } })).toEqual(lines)
  expect(await linesOf(store, { history: true })).toHaveLength(4)
})

test('exports a label of a removed run without the target', async () => {
  const { store, run } = await labelledStore()
  await store.runs.remove(run)
  const [line] = await linesOf(store)
  expect(JSON.parse(line!)).toMatchObject({ label: 'right', doc_id: '1' })
  expect(JSON.parse(line!)).not.toHaveProperty('target')
})

test('importing a whole history twice, in parts or in another order gives the same labels', async () => {
  const { store } = await labelledStore()
  const lines = await linesOf(store, { history: true })
  const other = new MemoryStore()
  const labels = labelsIn(`\ufeff${lines.toReversed().join('\r\n')}\n\n`, 'labels.jsonl')
  expect(await other.labels.merge(labels.slice(2))).toBe(2)
  expect(await other.labels.merge(labels)).toBe(2)
  expect(await other.labels.merge(labels)).toBe(0)
  const sorted = async (from: Store) =>
    (await allOf(from.labels.list())).map(label => canonicalJson({ ...label, id: 0 })).sort()
  expect(await sorted(other)).toEqual(await sorted(store))
})

test('rejects every wrong line with file and line', async () => {
  const { store } = await labelledStore()
  const [line = ''] = await linesOf(store)
  const changed = (fields: object): string => JSON.stringify({ ...(JSON.parse(line) as object), ...fields })
  const wrong = [
    ['{', 'this line is not JSON'],
    ['[]', 'the line: expected an object, given an empty list'],
    [changed({ label: 'good' }), 'label: '],
    [changed({ at: 'yesterday' }), 'at: '],
    [changed({ record_key: 'sha256:12' }), 'record_key: expected sha256: and 64 hexadecimal digits'],
    [changed({ author: '' }), 'the author of the label has no name'],
    [changed({ note: 'x'.repeat(10_001) }), 'the note has 10001 characters'],
    [changed({ doc_id: undefined }), 'doc_id: '],
  ] as const
  const text = [line, ...wrong.map(([one]) => one)].join('\n')
  const read = (): unknown => labelsIn(text, 'labels.jsonl')
  for (const [index, [, problem]] of wrong.entries()) expect(read).toThrow(`labels.jsonl:${index + 2}  ${problem}`)
  expect(read).toThrow('No label was imported.')
})

test('CSV has a row for each label, and no text is a formula', async () => {
  const { store } = await labelledStore()
  const csv = (await allOf(labelsCsv(exportedLabels(store, {})))).join('')
  expect(csv).toMatch(/^label,note,author,at,run,task,doc_id,doc_index,target,answer,/)
  expect(csv).toContain('right,"It says ""1"",\nas =the= target does.",Ada,')
  expect(csv).toContain(',answer 900,900,')
  expect(csv.match(/\r\n/g)).toHaveLength(3)
})

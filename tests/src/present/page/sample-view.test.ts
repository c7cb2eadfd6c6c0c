import { factsReader } from '../../../../cache/facts/sample-facts.js'
import { rm } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { keyView } from '../../../../src/present/page/samples/key-view.js'
import { sampleRow } from '../../../../src/present/page/samples/sample-row.js'
import { sampleAt } from '../../../../src/reading/samples/sample-at.js'
import { sampleView } from '../../../../src/present/page/samples/sample-view.js'
import { openJudgeExchanges } from '../../../../src/reading/samples/judge-exchanges.js'
import { temporaryStore } from '../../../support/store.js'
import { png, viewedRun } from '../../../support/viewed-run.js'

const boxed = {
  prompt: 'Where is the circle?',
  record: { target: [10, 20, 30, 40] },
  answer: { text: 'It is at [250, 0, 500, 500].', reasoning: 'I look.', finishReason: 'stop' as const },
  score: { extracted: { none: '[250, 0, 500, 500]' }, values: { exact_match: 0.5 }, groups: { kind: 'box' } },
}

test('shows a sample with its picture, its answer, the extracted value, and boxes', async () => {
  const store = await temporaryStore()
  const opened = await viewedRun(store, [{ answer: 'x' }, { ...boxed, picture: await png(100, 50) }])
  const view = await sampleView(store, opened, { task: 0, index: 1 })
  expect(view).toMatchObject({
    id: 'q1',
    taskName: 'shapes_vqa',
    outcome: 'scored',
    isRight: false,
    groups: { kind: 'box' },
    extracted: [{ filter: 'none', value: '[250, 0, 500, 500]', spans: [[9, 27]] }],
    boxes: [
      { of: 'target', corners: [0.1, 0.4, 0.3, 0.8] },
      { of: 'answer', corners: [0.25, 0, 0.5, 0.5] },
    ],
  })
  const [item] = view.items
  expect(item?.answer).toMatchObject({ text: 'It is at [250, 0, 500, 500].', reasoning: 'I look.', isFromStore: false })
  expect(item?.messages[0]?.parts).toMatchObject([
    { type: 'image', medium: { kind: 'image', type: 'image/png', width: 100, height: 50 } },
    { type: 'text', text: 'Where is the circle?' },
  ])
  expect(JSON.parse(JSON.stringify(view))).toEqual(view)
})

test('the row of a sample is short, and names a missing medium', async () => {
  const store = await temporaryStore()
  const opened = await viewedRun(store, [
    { prompt: `long ${'word '.repeat(200)}`, answer: 'Blue\n\nsky', picture: await png(5, 7) },
  ])
  const sample = (await sampleAt(store, opened, { task: 0, index: 0 }))!
  const row = await sampleRow(store.media, opened, sample, { facts: { ...factsReader(opened)(sample), isRight: true } })
  expect(row).toMatchObject({ answer: 'Blue sky', target: 'blue', value: 0, isRight: true, outputTokens: 3 })
  expect(row.prompt).toHaveLength(200)
  const other = await png(5, 8)
  const gone = await viewedRun(store, [{ answer: 'x', picture: other }], { extra: { repeat: 1 } })
  const lost = (await sampleAt(store, gone, { task: 0, index: 0 }))!
  await rm(store.media.locate((await store.media.addBytes(other)).digest))
  const { medium } = await sampleRow(store.media, gone, lost, { facts: factsReader(gone)(lost) })
  expect(medium).toMatchObject({ isMissing: true, bytes: 0 })
})

test('shortens a long text and states its length', async () => {
  const store = await temporaryStore()
  const opened = await viewedRun(store, [{ answer: '\u{1F388}'.repeat(100_000), prompt: 'p'.repeat(100_001) }])
  const { items } = await sampleView(store, opened, { task: 0, index: 0 })
  expect(items[0]?.answer?.length).toBe(200_000)
  expect(() => encodeURIComponent(items[0]?.answer?.text ?? '')).not.toThrow()
  expect(items[0]?.messages[0]?.parts[0]).toMatchObject({ length: 100_001 })
})

test('rejects a doc that the run does not have', async () => {
  const store = await temporaryStore()
  const opened = await viewedRun(store, [{ answer: 'x' }])
  await expect(sampleView(store, opened, { task: 0, index: 1 })).rejects.toThrow('has no doc 1 in its task shapes_vqa')
  await expect(sampleView(store, opened, { task: 4, index: 0 })).rejects.toThrow('has no doc 0')
})

test('explains a key by its parts and by the runs that use it', async () => {
  const store = await temporaryStore()
  const first = await viewedRun(store, [{ answer: 'x' }])
  const second = await viewedRun(store, [{ answer: 'x' }], { extra: { repeat: 1 } })
  const { items } = await sampleView(store, first, { task: 0, index: 0 })
  const key = items[0]?.key ?? ''
  const view = await keyView(store, first, key)
  expect(view.parts.map(({ name }) => name)).toEqual(['input', 'config', 'code', 'sample'])
  expect(view.parts[1]?.preimage).toMatchObject({ generation: { max_new_tokens: 16 } })
  expect(view.why[0]).toMatch(/^This run sent the request\. The answer came at .* after 1 attempt\.$/)
  expect(view.why).toHaveLength(2)
  expect((await keyView(store, second, key)).why[0]).toMatch(/request/)
  await expect(keyView(store, first, 'sha256:zz')).rejects.toThrow('no request with the key sha256:zz')
})

test('finds a judge call by the answer and the question in its prompt', async () => {
  const store = await temporaryStore()
  const opened = await viewedRun(store, [
    { prompt: 'Which colour is the sky at noon?', answer: 'blue, I think' },
    { prompt: 'Which colour is grass in spring?', answer: 'green, I think' },
  ])
  await viewedRun(
    store,
    [
      { prompt: 'Grade.\nQuestion: Which colour is grass in spring?\nAnswer: green, I think', answer: 'GOOD' },
      { prompt: 'Grade.\nQuestion: Which colour is the sky at noon?\nAnswer: blue, I think', answer: 'BAD' },
    ],
    { task: 'judging', extra: { judge: { of: opened.run.id } } },
  )
  const calls = await openJudgeExchanges(store, opened)
  const of = async (index: number) => calls.read((await sampleAt(store, opened, { task: 0, index }))!)
  expect((await of(0)).map(({ item }) => item.response?.body.text)).toEqual(['BAD'])
  expect((await of(1)).map(({ item }) => item.response?.body.text)).toEqual(['GOOD'])
})

import { expect, test } from 'vitest'
import { compareView } from '../../../../src/present/page/compare-view.js'
import { temporaryStore, testRun } from '../../../support/store.js'
import { viewedRun, type ViewedDoc } from '../../../support/viewed-run.js'

const docs = (values: readonly number[]): readonly ViewedDoc[] =>
  values.map((value, index) => ({
    answer: `answer ${value}`,
    prompt: `question ${index}`,
    score: { values: { exact_match: value }, groups: { kind: index % 2 === 0 ? 'even' : 'odd' } },
  }))

test('compares two runs doc by doc, also by label', async () => {
  const store = await temporaryStore()
  const a = await viewedRun(store, docs([1, 0, 0, 1, 0]))
  const b = await viewedRun(store, docs([0, 1, 1, 1, 0]), {
    extra: { selection: { limit: 5, generation: {} }, model: { backend: 'dummy', args: { other: 1 } } },
  })
  const view = await compareView(store, a, b)
  expect(view).toMatchObject({
    a: { name: a.run.name },
    b: { name: b.run.name },
    notes: [],
    differences: [],
    metrics: [
      {
        metric: 'exact_match',
        n: 5,
        a: 0.4,
        b: 0.6,
        isScoreTest: true,
        p: expect.closeTo(0.563702861651, 9) as unknown,
        improved: 2,
        worsened: 1,
        table: { bothRight: 1, onlyA: 1, onlyB: 2, bothWrong: 1 },
        flips: [
          { field: 'kind', label: 'even', n: 3, improved: 1, worsened: 1 },
          { field: 'kind', label: 'odd', n: 2, improved: 1, worsened: 0 },
        ],
      },
    ],
  })
  expect(JSON.parse(JSON.stringify(view))).toEqual(view)
})

test('notes say what cannot be compared', async () => {
  const store = await temporaryStore()
  const a = await viewedRun(store, docs([1]))
  const other = await viewedRun(store, docs([1]), { task: 'u' })
  expect((await compareView(store, a, other)).notes).toEqual([
    `Only run ${a.run.name} has the task shapes_vqa.`,
    `Only run ${other.run.name} has the task u.`,
  ])
  const bare = await testRun(store, ['v'])
  expect((await compareView(store, a, { run: bare })).notes).toEqual([`Run ${bare.name} has no scores yet.`])
})

test('names different requests as on the command line', async () => {
  const store = await temporaryStore()
  const a = await viewedRun(store, docs([1, 0, 1]))
  const other = docs([1, 0, 1]).map((doc, index) => (index === 0 ? { ...doc, prompt: 'another question' } : doc))
  const b = await viewedRun(store, other, { extra: { model: { backend: 'dummy', args: { other: 1 } } } })
  expect((await compareView(store, a, b)).differences).toEqual(['prompts differ in 1 of 3 docs'])
})

test('lists settings that differ, and the prompts of the first differing doc', async () => {
  const store = await temporaryStore()
  const asked = (words: string): readonly ViewedDoc[] =>
    docs([1, 0]).map((doc, index) => (index === 0 ? doc : { ...doc, prompt: `${words} question` }))
  const config = { model: 'dummy', tasks: ['shapes_vqa'], cwd: '/a', note: 'first', gen_kwargs: {} }
  const a = await viewedRun(store, asked('An easy'), { provenance: { config } })
  const b = await viewedRun(store, asked('A hard'), {
    extra: { model: { backend: 'dummy', args: { other: 1 } } },
    provenance: { config: { ...config, cwd: '/b', note: 'second', gen_kwargs: { temperature: 0.5, stop: ['.'] } } },
  })
  const { settings, prompt } = await compareView(store, a, b)
  expect(settings).toEqual([
    { name: 'gen_kwargs.stop', a: null, b: '["."]' },
    { name: 'gen_kwargs.temperature', a: null, b: '0.5' },
  ])
  expect(prompt).toMatchObject({
    taskName: 'shapes_vqa',
    a: expect.stringContaining('An easy question') as unknown,
    b: expect.stringContaining('A hard question') as unknown,
  })
  const same = await compareView(store, a, a)
  expect([same.settings, same.prompt]).toEqual([[], undefined])
})

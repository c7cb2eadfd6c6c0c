import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { OpenedRun, Sample } from '../../../cache/store.js'
import { writeTaskFromRun as writeTask } from '../../../src/authoring/task-from-run.js'
import { evaluate, mockModel, writeTaskFromRun } from '../../../src/index.js'
import { temporaryFolder } from '../../support/store.js'

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

async function makeScene() {
  const folder = await temporaryFolder()
  const task = join(folder, 'task')
  await mkdir(task)
  await writeFile(join(task, 'dot.png'), png)
  const rows = ['red', 'blue', 'green'].map((answer, index) => ({ id: `q${index}`, answer, hint: `h${index}` }))
  await writeFile(join(task, 'rows.jsonl'), rows.map(row => JSON.stringify({ ...row, picture: 'dot.png' })).join('\n'))
  const keys = (scored: string) =>
    `task: colours\ndataset_path: ./rows.jsonl\ndoc_to_visual: picture\ndoc_to_text: "Which colour, {{hint}}?"\ndoc_to_target: answer\n${scored}`
  await writeFile(join(task, 'colours.yaml'), keys('metric_list: [{metric: contains, name: found}]\n'))
  await writeFile(
    join(task, 'coded.yaml'),
    keys('process_results: !function utils.score\nmetric_list: [{metric: near}]\n').replace('colours', 'coded'),
  )
  await writeFile(
    join(task, 'utils.ts'),
    'export const score = (doc: { hint: string }, [answer]: [string]) => ({ near: doc.hint === "h1" && answer === "It is red." ? 1 : 0 })\n',
  )
  const model = mockModel({ reply: () => 'It is red.', version: '1' })
  return { folder, task, model, store: join(folder, 'store') }
}

test('wrong docs become a task that sends the same requests without the dataset', async () => {
  const { folder, task, model, store } = await makeScene()
  const first = await evaluate({ store, model, tasks: [join(task, 'colours.yaml')] })
  const given = { name: 'hard', store, dir: folder, samples: 'wrong' } as const
  const written = await writeTaskFromRun(first.run.name, given)
  expect(written).toMatchObject({ docs: 2, media: 1, tasks: [join(folder, 'hard', 'hard.yaml')], left: [] })
  expect(await readFile(written.ids, 'utf8')).toBe('colours/q1\ncolours/q2\n')
  await expect(writeTaskFromRun(first.run.name, given)).rejects.toThrow('is there already')
  await rm(task, { recursive: true })
  const again = await evaluate({ store, model, tasks: written.tasks })
  expect(again.counts).toMatchObject({ docs: 2, answered: 2 })
  expect(again.judgement?.aggregates).toMatchObject([{ task: 'hard', metric: 'found', value: 0, n: 2 }])
  // All answers came from the store: prompts and pictures are the same.
  expect(model.calls).toHaveLength(3)
})

test("copies the task's own code, and selects docs by a file of ids", async () => {
  const { folder, task, model, store } = await makeScene()
  const first = await evaluate({ store, model, tasks: [join(task, 'coded.yaml')] })
  await writeFile(join(folder, 'few.txt'), 'q1\n')
  const given = { store, dir: folder, samples: join(folder, 'few.txt') }
  const written = await writeTaskFromRun(first.run.name, { ...given, name: 'few' })
  await rm(task, { recursive: true })
  const again = await evaluate({ store: join(folder, 'other'), model, tasks: written.tasks })
  expect(again.judgement?.aggregates).toMatchObject([{ task: 'few', metric: 'near', value: 1, n: 1 }])
  await expect(writeTaskFromRun(first.run.name, { store, dir: folder, name: 'none', samples: 'cut' })).rejects.toThrow(
    'has no such docs',
  )
  const mistyped = writeTaskFromRun(first.run.name, { store, dir: folder, name: 'none', samples: 'wrogn' })
  await expect(mistyped).rejects.toThrow(
    /no doc of the run has the id "wrogn"[^]*kinds: all, wrong, .*Did you mean "wrong"\?/,
  )
})

test('copies the options of a choice', async () => {
  const { folder, store } = await makeScene()
  const model = mockModel({
    reply: ({ text }) => ({ text: '', logprob: text.length > 0 ? -1 : -2, continuationTokens: 1 }),
    version: '1',
  })
  await writeFile(join(folder, 'pick.jsonl'), '{"q":"2+2","options":["3","4"],"right":1}\n')
  await writeFile(
    join(folder, 'pick.yaml'),
    'task: pick\ndataset_path: ./pick.jsonl\noutput_type: multiple_choice\ndoc_to_text: q\ndoc_to_choice: options\ndoc_to_target: right\n',
  )
  const first = await evaluate({ store, model, tasks: [join(folder, 'pick.yaml')] })
  const written = await writeTaskFromRun(first.run.name, { store, dir: folder, name: 'picked' })
  const again = await evaluate({ store, model, tasks: written.tasks })
  expect(again.of(written.tasks[0] ?? '').metrics['acc']?.value).toBe(first.judgement?.aggregates?.[0]?.value)
  expect(model.calls).toHaveLength(2)
})

test('a task scored by built-in code stores only the ids of its docs', async () => {
  const dir = await temporaryFolder()
  const code = { 'utils.ts': { builtin: 'tasks/x/utils.ts' } }
  const run = {
    ...{ name: 'calm-heron', asked: { tasks: [{ name: 'x' }] } },
    provenance: { scoring: { x: { output_type: 'generate_until', config: {}, code } } },
  }
  const opened = { run } as unknown as OpenedRun
  const samples = [{ task: 0, index: 4, id: 'q4' }] as unknown as Sample[]
  const media = { read: () => Promise.reject(new Error('no medium')) }
  const written = await writeTask('shapes', { dir, opened, samples, media })
  expect(written).toMatchObject({
    docs: 1,
    tasks: [],
    left: [expect.stringContaining('code that comes with pipeline')],
  })
  expect(await readFile(written.ids, 'utf8')).toBe('x/q4\n')
})

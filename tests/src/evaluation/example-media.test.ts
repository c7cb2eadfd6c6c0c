import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { compare, evaluate, openStore } from '../../../src/index.js'
import { listQuestionParts } from '../../../cache/facts/compared-doc.js'
import { temporaryFolder } from '../../support/store.js'

const question = `dataset_path: ./docs.jsonl
doc_to_visual: !function utils.listPictures
doc_to_text: q
doc_to_target: a
metric_list: [{metric: contains}]
`
const examples = `num_fewshot: 2
fewshot_config:
  sampler: first_n
  samples: [{q: first example, a: 'yes', image: x.png}, {q: second example, a: 'no', image: y.png}]
`
const messages = `const show = (doc, other) => [
  { role: 'user', content: [
    ...(doc.image ? [other, doc.image].flatMap(image => [{ type: 'image', image }, { type: 'text', text: 'and' }]) : []),
    { type: 'text', text: doc.q },
  ] },
]
export const ask = doc => show(doc, doc.image)
export const listPictures = doc => (doc.image ? [doc.image] : [])
export const askBoth = doc => show(doc, 'x.png')
`

/** Writes 24 docs. Every second one is a text alone, and the others show a picture of their own. */
async function writeScene() {
  const folder = await temporaryFolder()
  const draw = (name: string, r: number) =>
    sharp({ create: { width: 8, height: 8, channels: 3, background: { r, g: 0, b: 0 } } })
      .png()
      .toFile(join(folder, `${name}.png`))
  for (const [at, name] of ['x', 'y', 'z', ...Array.from({ length: 12 }, (_, doc) => String(2 * doc + 1))].entries())
    await draw(name, at * 10)
  const rows = Array.from({ length: 24 }, (_, doc) => {
    const image = doc % 2 === 0 ? null : `${doc}.png`
    return { id: `d${doc}`, q: `question ${doc}`, a: doc % 3 === 0 ? 'question' : 'other', image }
  })
  await writeFile(join(folder, 'docs.jsonl'), rows.map(row => `${JSON.stringify(row)}\n`).join(''))
  await writeFile(join(folder, 'utils.ts'), messages)
  const store = join(folder, 'store')
  return {
    store,
    ask: async (name: string, yaml: string, options: { readonly fewshotAsMultiturn?: boolean } = {}) => {
      const task = join(folder, `${name}.yaml`)
      await writeFile(task, `task: ${name}\n${yaml}`)
      return evaluate({ store, model: 'dummy', tasks: [task], ...options })
    },
  }
}

/** Reads the number of pictures of each doc's own question. */
async function countPictures(store: string, name: string): Promise<readonly number[]> {
  const opened = await openStore(store, { access: 'read' })
  const counts: number[] = []
  const run = (await opened.runs.list()).find(one => one.name === name)!
  for await (const { items, record } of opened.judgements.samples(run))
    counts.push(listQuestionParts(items[0]?.request?.input.messages ?? [], record).length)
  await opened.close()
  return counts
}

test.each([
  ['in one message', question, {}],
  ['as turns', question, { fewshotAsMultiturn: true }],
  ['before the task’s own messages', `${question}doc_to_messages: !function utils.ask\n`, {}],
])('pictures of examples form no clusters, and texts alone have none: examples %s', async (_, yaml, options) => {
  const { store, ask } = await writeScene()
  const { run, judgement } = await ask('t', `${yaml}${examples}`, options)
  expect(judgement?.aggregates?.[0]).toMatchObject({ n: 24, intervalMethod: 'wilson' })
  expect(judgement?.aggregates?.[0]?.media).toBeUndefined()
  const shown = yaml.includes('ask') ? 2 : 1
  expect(await countPictures(store, run.name)).toEqual(Array.from({ length: 24 }, (__, doc) => (doc % 2) * shown))
  const plain = await ask('t', yaml)
  expect((await compare(run.name, plain.run.name, { store })).metrics).toMatchObject([{ n: 24, isClustered: false }])
})

test('counts every picture of a question, even with a text between two of them', async () => {
  const { ask } = await writeScene()
  // Every second doc shows x.png before a text and a picture of its own: these are one cluster. Each text alone is another one.
  const { judgement } = await ask('t', `${question}doc_to_messages: !function utils.askBoth\n`)
  expect(judgement?.aggregates?.[0]).toMatchObject({ n: 24, media: 13 })
})

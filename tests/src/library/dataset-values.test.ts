import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import {
  audio,
  csv,
  defineTask,
  evaluate,
  file,
  hub,
  image,
  jsonl,
  mockModel,
  parquet,
  rows,
  video,
  z,
  type DatasetValue,
  type PromptPart,
} from '../../../src/index.js'
import { fakeHub } from '../../support/fake-hub.js'
import { picture } from '../../support/own-task.js'
import { parquetOf } from '../../support/parquet-table.js'
import { temporaryFolder } from '../../support/store.js'

/** The smallest valid files: an empty sound, a video without frames, a document without pages. */
const bytes = {
  wav: Buffer.from(
    'RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\0\0\0\0',
    'latin1',
  ),
  mp4: Buffer.from('\0\0\0\x18ftypisom\0\0\0\0isommp42\0\0\0\x08moov\0\0\0\x08mdat', 'latin1'),
  pdf: Buffer.from('%PDF-1.7\n1 0 obj\n<</Type/Page>>\n%%EOF\n'),
}

interface Colour {
  readonly id: string
  readonly answer: string
}

async function setup() {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'own.task.ts'), '// the code of the tasks below\n')
  return { folder, store: join(folder, 'store'), module: join(folder, 'own.task.ts') }
}

type Place = Awaited<ReturnType<typeof setup>>

/** Returns what the model gets for each doc of a dataset. */
async function shown({ store, module }: Place, dataset: DatasetValue<Colour>): Promise<readonly string[]> {
  const task = defineTask({
    name: 'colours',
    module,
    dataset,
    prompt: doc => `${doc.id} is ${doc.answer}`,
    target: doc => doc.answer,
    metrics: { right: ({ text, target }) => text.endsWith(target) },
  })
  const model = mockModel({ reply: ({ text }) => text })
  const run = await evaluate({ store, model, tasks: [task] })
  expect(run.of(task).metrics.right.value).toBe(1)
  return model.calls.map(({ text }) => text).sort()
}

test('csv() reads the columns named in the first line, also with another delimiter', async () => {
  const place = await setup()
  await writeFile(join(place.folder, 'a.csv'), 'id,answer\nsky,"blue, mostly"\ngrass,green\n')
  await writeFile(join(place.folder, 'b.csv'), 'id;answer\nsky;blue, mostly\n')
  expect(await shown(place, csv('./a.csv'))).toEqual(['grass is green', 'sky is blue, mostly'])
  expect(await shown(place, csv('./b.csv', { delimiter: ';' }))).toEqual(['sky is blue, mostly'])
})

test('parquet() reads rows, which a schema, map and filter turn into docs', async () => {
  const place = await setup()
  const table = [
    { name: 'sky', answer: 'blue', weight: 1 },
    { name: 'grass', answer: 'green', weight: 2 },
  ]
  await writeFile(join(place.folder, 'a.parquet'), parquetOf(table))
  const schema = z.object({ name: z.string(), answer: z.string(), weight: z.number() })
  const dataset = parquet('./a.parquet', { schema })
    .filter(({ weight }) => weight > 1)
    .map(({ name, answer }) => ({ id: name, answer }))
  expect(await shown(place, dataset)).toEqual(['grass is green'])
})

test('hub() reads the given split, configuration and revision', async () => {
  const place = await setup()
  const row = (answer: string): string => `{"id": "sky", "answer": "${answer}"}\n`
  const card = '---\nconfigs:\n- config_name: small\n  data_files:\n  - split: train\n    path: small.jsonl\n---\n'
  const branches = {
    main: { 'test.jsonl': row('blue') },
    old: { 'README.md': card, 'small.jsonl': row('grey') },
  }
  const server = await fakeHub({ 'org/colours': { branches } })
  onTestFinished(() => server.close())
  vi.stubEnv('HF_ENDPOINT', server.url)
  onTestFinished(() => {
    vi.unstubAllEnvs()
  })
  expect(await shown(place, hub('org/colours'))).toEqual(['sky is blue'])
  const old = hub<Colour>('org/colours', { config: 'small', split: 'train', revision: 'old' })
  expect(await shown(place, old)).toEqual(['sky is grey'])
})

test('media of any form appear in the prompt where the parts have them', async () => {
  const { folder, store, module } = await setup()
  const red = await picture(1)
  await writeFile(join(folder, 'docs.jsonl'), '{"id": "all"}\n')
  await writeFile(join(folder, 'red.png'), red)
  await writeFile(join(folder, 'film.mp4'), bytes.mp4)
  const media: readonly PromptPart[] = [
    'See ',
    image('red.png'),
    image(pathToFileURL(join(folder, 'red.png'))),
    image(`data:image/png;base64,${red.toString('base64')}`),
    'hear ',
    audio({ bytes: bytes.wav, path: 'hum.wav' }),
    'watch ',
    video('film.mp4', { start: 1, end: 2.5 }),
    'read ',
    file(bytes.pdf),
  ]
  const task = defineTask({
    name: 'media',
    module,
    dataset: jsonl('./docs.jsonl'),
    prompt: () => [...media, 'and answer.'],
    metrics: { any: () => 1 },
  })
  const model = mockModel({ reply: () => 'yes' })
  const run = await evaluate({ store, model, tasks: [task] })
  expect(run.failures).toEqual([])
  const [message] = model.calls[0]?.input.messages ?? []
  expect(message?.content.map(part => (part.type === 'text' ? part.text : part.type))).toEqual([
    'See ',
    'image',
    'image',
    'image',
    'hear ',
    'audio',
    'watch ',
    'video',
    'read ',
    'file',
    'and answer.',
  ])
  const digests = new Set(message?.content.flatMap(part => (part.type === 'image' ? [part.media] : [])))
  expect(digests.size).toBe(1)
  expect(message?.content.find(({ type }) => type === 'video')).toMatchObject({ derive: { start: 1, end: 2.5 } })
})

test("finds media of a program's rows beside the file of the task", async () => {
  const { folder, store, module } = await setup()
  await mkdir(join(folder, 'pictures'))
  await writeFile(join(folder, 'pictures/red.png'), await picture(1))
  const task = defineTask({
    name: 'media',
    module: pathToFileURL(module).href,
    dataset: rows([
      { id: 'red', picture: 'pictures/red.png' },
      { id: 'lost', picture: 'pictures/lost.png' },
    ]),
    prompt: doc => [image(doc.picture), 'What is it?'],
    metrics: { any: () => 1 },
  })
  const model = mockModel({ reply: () => 'yes' })
  const { failures } = await evaluate({ store, model, tasks: [task] })
  expect(failures.map(({ doc, failure }) => [doc, failure.message])).toEqual([
    ['lost', 'media/lost: no file pictures/lost.png'],
  ])
  expect(model.calls.map(({ input }) => input.messages[0]?.content.map(part => part.type))).toEqual([['image', 'text']])
})

test('a web address as a medium fails its doc, with advice', async () => {
  const { store, module } = await setup()
  const task = defineTask({
    name: 'far',
    module,
    dataset: rows([{ id: 'far' }]),
    prompt: () => [image('https://example.org/a.png'), 'What is it?'],
    metrics: { any: () => 1 },
  })
  const model = mockModel({ reply: () => 'yes' })
  const { failures } = await evaluate({ store, model, tasks: [task] })
  expect(failures.map(({ doc, failure }) => [doc, failure.class, failure.message])).toEqual([
    [
      'far',
      'invalid_request',
      expect.stringContaining('https://example.org/a.png is not downloaded. Give the bytes or a file') as string,
    ],
  ])
  expect(model.calls).toEqual([])
})

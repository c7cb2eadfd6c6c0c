import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  defineTask,
  evaluate,
  image,
  jsonl,
  mockModel,
  plan,
  rescore,
  resume,
  rows,
  z,
  type MetricValue,
} from '../../../src/index.js'
import { metricBrand } from '../../../src/library/values/values.js'
import type { JsonObject } from '../../../cache/records.js'
import { picture } from '../../support/own-task.js'

import { temporaryFolder } from '../../support/store.js'

const exact = (args: JsonObject): MetricValue<unknown, unknown> => ({
  [metricBrand]: true,
  kind: 'metric',
  metric: 'exact_match',
  args,
})

const docs = [
  { id: 'sky', question: 'blue', answer: 'blue' },
  { id: 'grass', question: 'red', answer: 'green' },
]

async function setup() {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'colours.task.ts'), '// the code of the tasks below\n')
  await writeFile(join(folder, 'docs.jsonl'), docs.map(doc => JSON.stringify(doc)).join('\n'))
  return { folder, store: join(folder, 'store'), module: join(folder, 'colours.task.ts') }
}

async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const value of values) found.push(value)
  return found
}

test('evaluates and scores a task value', async () => {
  const { store, module } = await setup()
  const colours = defineTask({
    name: 'colours',
    module,
    dataset: jsonl('./docs.jsonl', {
      schema: z.object({ id: z.string(), question: z.string(), answer: z.string() }),
    }),
    prompt: doc => doc.question,
    target: doc => doc.answer,
    metrics: {
      exact: ({ text, target }) => text === target,
      long: ({ text }) => (text === 'red' ? null : text.length),
    },
  })
  const run = await evaluate({ store, model: 'dummy', tasks: [colours] })
  expect(run.of(colours).metrics.exact).toMatchObject({ value: 0.5, n: 2 })
  expect(run.of(colours).metrics.long).toMatchObject({ value: 4, n: 1 })
  const wrong = await collect(run.samples({ only: 'wrong' }))
  expect(wrong).toMatchObject([{ id: 'grass', text: 'red', target: 'green', outcome: 'scored', values: { exact: 0 } }])
  const again = await evaluate({ store, model: 'dummy', tasks: [colours] })
  expect(again).toMatchObject({ isNew: false, asked: 0 })
})

test('rows of a program keep their bytes and are identified by their content', async () => {
  const { store, module } = await setup()
  const red = await picture(1)
  const make = (list: readonly { readonly question: string; readonly photo: Uint8Array }[]) =>
    defineTask({
      name: 'photos',
      module,
      dataset: rows(list),
      prompt: doc => [image(doc.photo), `${doc.question} ${doc.photo.length}`],
      metrics: { size: ({ text, doc }) => text === `${doc.question} ${red.length}` },
    })
  const once = make([{ question: 'red?', photo: red }])
  const run = await evaluate({ store, model: 'dummy', tasks: [once] })
  expect(run.of(once).metrics.size.value).toBe(1)
  const [sample] = await collect(run.samples())
  expect(sample?.messages[0]?.content.map(({ type }) => type)).toEqual(['image', 'text'])
  const same = make([{ question: 'red?', photo: Uint8Array.from(red) }])
  expect((await evaluate({ store, model: 'dummy', tasks: [same] })).run.id).toBe(run.run.id)
  const other = make([{ question: 'blue?', photo: red }])
  expect((await evaluate({ store, model: 'dummy', tasks: [other] })).run.id).not.toBe(run.run.id)
})

const yaml = `
task: photos
dataset_path: ./photos.jsonl
doc_to_visual: photo
doc_to_text: "{{question}}\\nAnswer with one word."
doc_to_target: answer
generation_kwargs: {max_new_tokens: 8}
metric_list: [{metric: exact_match, ignore_case: true}]
`

test('the same task as a value and as YAML sends identical requests', async () => {
  const { folder, store, module } = await setup()
  await writeFile(join(folder, 'red.png'), await picture(1))
  await writeFile(join(folder, 'photos.jsonl'), JSON.stringify({ question: 'red?', photo: 'red.png', answer: 'yes' }))
  await writeFile(join(folder, 'photos.yaml'), yaml)
  const photos = defineTask({
    name: 'photos',
    module,
    dataset: jsonl<{ question: string; photo: string; answer: string }>('./photos.jsonl'),
    prompt: doc => [image(doc.photo), `${doc.question}\nAnswer with one word.`],
    target: doc => doc.answer,
    generation: { maxNewTokens: 8 },
    metrics: { exact: exact({ ignore_case: true }) },
  })
  const written = await evaluate({ store, model: 'dummy', tasks: [join(folder, 'photos.yaml')] })
  const value = await evaluate({ store, model: 'dummy', tasks: [photos] })
  expect(written).toMatchObject({ asked: 1 })
  expect(value).toMatchObject({ asked: 0, fromStore: 1, isNew: true })
  expect(value.of(photos).metrics.exact.value).toBe(written.judgement?.aggregates?.[0]?.value)
})

test('joins examples and description into one text, as for a task file', async () => {
  const { folder, store, module } = await setup()
  await writeFile(
    join(folder, 'shots.yaml'),
    'task: shots\ndataset_path: ./docs.jsonl\ndescription: "Copy.\\n"\ndoc_to_text: "Q: {{question}}"\ndoc_to_target: answer\nnum_fewshot: 1\nfewshot_config: {sampler: first_n, samples: [{question: pink, answer: pink}]}\n',
  )
  const shots = defineTask({
    name: 'shots',
    module,
    dataset: jsonl<(typeof docs)[number]>('./docs.jsonl'),
    description: 'Copy.\n',
    fewshot: { numFewshot: 1, sampler: 'first_n', samples: [{ id: 'x', question: 'pink', answer: 'pink' }] },
    prompt: doc => `Q: ${doc.question}`,
    target: doc => doc.answer,
    metrics: { exact: exact({}) },
  })
  await evaluate({ store, model: 'dummy', tasks: [join(folder, 'shots.yaml')] })
  expect(await evaluate({ store, model: 'dummy', tasks: [shots] })).toMatchObject({ asked: 0, fromStore: 2 })
})

test('scores choices by their likelihoods', async () => {
  const { store, module } = await setup()
  const choices = defineTask({
    name: 'choices',
    module,
    dataset: rows([{ question: 'Which?', options: ['red', 'blue'], right: 1 }]),
    prompt: doc => doc.question,
    choices: doc => doc.options,
    target: doc => doc.right,
    metrics: { acc: { ...exact({}), metric: 'acc' } },
  })
  const run = await evaluate({ store, model: 'dummy', tasks: [choices] })
  expect(run.counts).toMatchObject({ docs: 1, items: 2 })
  expect([0, 1]).toContain(run.of(choices).metrics.acc.value)
})

test('rejects a value whose file is unknown, and shows the line to add', async () => {
  const { store } = await setup()
  const lost = defineTask({
    name: 'lost',
    dataset: rows([{ a: 1 }]),
    prompt: doc => String(doc.a),
    metrics: { any: () => 1 },
  })
  await expect(evaluate({ store, model: 'dummy', tasks: [lost] })).rejects.toThrow(
    /task lost: nothing says which file.*Add the line\n {2}module: import\.meta\.url,/s,
  )
})

test("the identity of a score includes the metric's code and its imports", async () => {
  const { folder, store } = await setup()
  const file = join(folder, 'colours.task.ts')
  await writeFile(join(folder, 'near.ts'), 'export const near = () => 0.25\n')
  await writeFile(
    file,
    "import { defineTask, rows } from 'pipeline'\nimport { near } from './near.js'\nexport const colours = defineTask({ name: 'colours', dataset: rows([{ q: 'a' }]), prompt: doc => doc.q, metrics: { near: () => near() } })\n",
  )
  const first = await evaluate({ store, model: 'dummy', tasks: [file] })
  expect(first.of(file).metrics['near']?.value).toBe(0.25)
  await writeFile(join(folder, 'near.ts'), 'export const near = () => 0.75\n')
  const second = await evaluate({ store, model: 'dummy', tasks: [`${file}#colours`] })
  expect(second).toMatchObject({ asked: 0 })
  expect(second.of(`${file}#colours`).metrics['near']?.value).toBe(0.75)
})

test('rejects a row that violates its schema, with its number and field', async () => {
  const { store, module } = await setup()
  const typed = defineTask({
    name: 'typed',
    module,
    dataset: jsonl('./docs.jsonl', { schema: z.object({ question: z.number() }) }),
    prompt: doc => String(doc.question),
    metrics: { any: () => 1 },
  })
  await expect(evaluate({ store, model: 'dummy', tasks: [typed] })).rejects.toThrow(
    /docs\.jsonl: row 0, field question: expected a number, given the text "\w+"/,
  )
})

test('keeps the rows of a one-time iterable for later runs', async () => {
  const { store, module } = await setup()
  async function* stream() {
    yield* await Promise.resolve(docs)
  }
  const streamed = defineTask({
    name: 'streamed',
    module,
    dataset: stream(),
    prompt: doc => doc.question,
    target: doc => doc.answer,
    metrics: { exact: exact({}) },
  })
  expect((await plan({ store, model: 'dummy', tasks: [streamed] })).tasks[0]?.docs).toBe(2)
  expect((await evaluate({ store, model: 'dummy', tasks: [streamed] })).counts.docs).toBe(2)
  expect((await evaluate({ store, model: 'dummy', tasks: [streamed] })).isNew).toBe(false)
})

test('rejects a file that evaluates while its tasks are loaded', async () => {
  const { folder, store } = await setup()
  const file = join(folder, 'loop.task.ts')
  await writeFile(file, "import { evaluate } from 'pipeline'\nawait evaluate({ model: 'dummy', tasks: ['x'] })\n")
  await expect(evaluate({ store, model: 'dummy', tasks: [file] })).rejects.toThrow(
    /loop\.task\.ts calls evaluate\(\) while its tasks are loaded/,
  )
})

test('evaluates, resumes and scores a task written in code below includePaths by its name', async () => {
  const { folder, store } = await setup()
  const written = (score: string): Promise<void> =>
    writeFile(
      join(folder, 'colours.task.ts'),
      `import { defineTask, jsonl } from 'pipeline'
export const colours = defineTask({
  name: 'colours', dataset: jsonl('./docs.jsonl'), prompt: doc => doc.question, target: doc => doc.answer,
  metrics: { exact: ({ text, target }) => ${score} },
})
`,
    )
  await written('text === target')
  const options = { store, includePaths: [folder], model: 'dummy', tasks: ['colours'] } as const
  const part = await evaluate({ ...options, maxRequests: 1 })
  expect(part).toMatchObject({ asked: 1, stopped: { why: 'budget' } })
  const whole = await resume(part)
  expect(whole).toMatchObject({ asked: 1, failures: [], isNew: false })
  expect((await evaluate(options)).of('colours').metrics['exact']).toMatchObject({ value: 0.5, n: 2 })
  await written('0.25')
  expect((await rescore(whole, { tasks: ['colours'] })).of('colours').metrics['exact']?.value).toBe(0.25)
  expect(await plan({ ...options, tasks: [folder] })).toMatchObject({ tasks: [{ task: 'colours', toAsk: 0 }] })
})

test('next leads a conversation of several rounds, and metrics get all answers', async () => {
  const { store, module } = await setup()
  const guess = defineTask({
    name: 'guess',
    module,
    dataset: rows([
      { id: 'low', number: 3 },
      { id: 'high', number: 8 },
    ]),
    prompt: () => 'Guess a number from 0 to 9.',
    target: doc => doc.number,
    next(doc, { round, outputs, messages }) {
      const last = Number(outputs.at(-1))
      if (last === doc.number || round === 3) return null
      return [...messages, { role: 'user', content: last < doc.number ? 'higher' : 'lower' }]
    },
    metrics: {
      found: ({ text, target }) => Number(text) === target,
      rounds: ({ bodies }) => bodies[0]?.outputs?.length ?? 1,
    },
  })
  const model = mockModel({
    version: '1',
    reply: ({ text, input }) => {
      const last = input.messages.findLast(({ role }) => role === 'assistant')?.content[0]
      const before = last?.type === 'text' ? Number(last.text) : 5
      return String(text === 'higher' ? before + 2 : text === 'lower' ? before - 2 : 5)
    },
  })
  const run = await evaluate({ store, model, tasks: [guess] })
  expect(run.failures).toEqual([])
  expect(run.of(guess).metrics).toMatchObject({ found: { value: 0.5, n: 2 }, rounds: { value: 2.5 } })
  expect(model.calls.filter(({ text }) => text === 'higher')).toHaveLength(2)
  expect(await evaluate({ store, model, tasks: [guess] })).toMatchObject({ asked: 0, isNew: false })
})

test('rejects next with a single-round output, and a multi-round output without next', () => {
  const task = { name: 'odd', dataset: rows([{ q: 'a' }]), prompt: () => 'Well?', metrics: { any: () => 1 } }
  expect(() => defineTask({ ...task, output: 'generate_until_agentic' })).toThrow(
    /task odd: output generate_until_agentic needs next/,
  )
  expect(() => defineTask({ ...task, output: 'generate_until', next: () => null })).toThrow(
    /task odd: next is not called with output generate_until\. Set output/,
  )
})

import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { evaluate, openStore, PipelineError, plan, report, type StageEvent } from '../../../src/index.js'
import { databaseName } from '../../../cache/sqlite/connection/schema.js'
import { temporaryFolder } from '../../support/store.js'

const yaml = `
task: colours
dataset_path: ./docs.jsonl
doc_to_text: "{{question}}"
doc_to_target: answer
`

const docs = [
  { id: 'sky', question: 'blue', answer: 'blue' },
  { id: 'grass', question: 'red', answer: 'green' },
]

/** A task whose question is the model's answer, by the dummy that echoes. */
async function colours(): Promise<{ readonly folder: string; readonly task: string }> {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'colours.yaml'), yaml)
  await writeFile(join(folder, 'docs.jsonl'), docs.map(doc => JSON.stringify(doc)).join('\n'))
  return { folder, task: join(folder, 'colours.yaml') }
}

async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const value of values) found.push(value)
  return found
}

test('evaluates with only a model and tasks, and returns the docs any number of times', async () => {
  const { folder, task } = await colours()
  const run = await evaluate({ store: join(folder, 'store'), model: 'dummy', tasks: [task] })
  expect(run).toMatchObject({ isNew: true, asked: 2, fromStore: 0, failures: [] })
  expect(run.judgement?.aggregates).toMatchObject([{ metric: 'exact_match', value: 0.5, n: 2 }])
  const seen = (await collect(run.scores('colours'))).map(({ id, answers, score }) => [
    id,
    answers[0]?.text,
    score.values['exact_match'],
  ])
  expect(seen).toEqual([
    ['sky', 'blue', 1],
    ['grass', 'red', 0],
  ])
  expect(await collect(run.scores())).toHaveLength(2)
})

test('does not close a store that was passed open, and the same options are the same run', async () => {
  const { folder, task } = await colours()
  const store = await openStore(join(folder, 'store'))
  const options = { store, model: 'dummy', tasks: [task] }
  const first = await evaluate(options)
  const again = await evaluate({ ...options, store: Promise.resolve(store) })
  expect(again).toMatchObject({ isNew: false, asked: 0, fromStore: 2 })
  expect(again.run.id).toBe(first.run.id)
  expect(await collect(again.scores('colours'))).toHaveLength(2)
  expect(await store.runs.list()).toHaveLength(1)
  await store.close()
  await expect(evaluate(options)).rejects.toThrow(
    new PipelineError('store', 'the store is closed already: open it again to use it'),
  )
  await expect(store.runs.list()).rejects.toThrow(PipelineError)
})

test('events are reported, and no request is sent after draining began', async () => {
  const { folder, task } = await colours()
  const events: StageEvent[] = []
  const options = { store: join(folder, 'store'), model: 'dummy', tasks: [task] }
  const drained = await evaluate({ ...options, drain: AbortSignal.abort() })
  expect(drained.asked).toBe(0)
  const whole = await evaluate({ ...options, onEvent: event => events.push(event) })
  expect(whole).toMatchObject({ isNew: false, asked: 2 })
  expect(events.map(({ type }) => type)).toContain('answered')
})

test('a plan says what would be sent, and limits apply to one call, even in the same process', async () => {
  const { folder, task } = await colours()
  const store = join(folder, 'store')
  const options = { store, model: 'dummy', tasks: [task] }
  expect(await plan(options)).toMatchObject({ run: { isNew: true }, tasks: [{ task: 'colours', docs: 2, toAsk: 2 }] })
  const limited = await evaluate({ ...options, maxRequests: 1 })
  expect(limited).toMatchObject({
    asked: 1,
    failures: [{ doc: 'sky', failure: { class: 'budget', message: 'maxRequests: 1: 1 were sent' } }],
    stopped: { why: 'budget', limit: 'requests', message: 'maxRequests: 1: 1 were sent' },
  })
  expect(await plan(options)).toMatchObject({ run: { isNew: false }, tasks: [{ inStore: 1, toAsk: 1 }] })
  const rest = await evaluate({ ...options, maxTime: '10m', maxRequests: 1 })
  expect(rest).toMatchObject({ asked: 1, fromStore: 1, failures: [] })
  expect(rest.stopped).toBeUndefined()
  await expect(evaluate({ ...options, maxCost: 1 })).rejects.toThrow('what the model dummy of dummy costs')
})

test('rejects mistakes in names and scores with their reasons', async () => {
  const { folder, task } = await colours()
  const store = join(folder, 'store')
  await expect(evaluate({ store, model: 'dumy', tasks: [task] })).rejects.toThrow(/no model "dumy".*"dummy"/)
  const unreadable = { store, model: 'dummy', tasks: [task], prices: join(folder, 'gone.yaml') }
  await expect(evaluate(unreadable)).rejects.toThrow('gone.yaml: no such file')
  expect(await plan({ store, model: 'dummy', tasks: [task] })).toMatchObject({ run: { isNew: true } })
  const run = await evaluate({ store, model: 'dummy', tasks: [task] })
  await expect(collect(run.scores('colour'))).rejects.toThrow(PipelineError)
  await expect(collect(run.scores('colour'))).rejects.toThrow(/no task "colour".*"colours"/)
})

test('rejects all invalid options at once, before a store is created', async () => {
  const store = join(await temporaryFolder(), 'store')
  const given = JSON.parse(
    '{"tasks": "sums", "limt": 5, "repeats": -3, "order": "fast", "modelArgs": "key=s3cret"}',
  ) as object
  const refused = await evaluate({ ...given, store } as never).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(PipelineError)
  expect(refused).toMatchObject({
    code: 'usage',
    problems: [
      'options.model: is missing: expected a model, or the name of a model backend',
      'options.modelArgs: expected an object of arguments, given a text',
      'options.tasks: expected a list of tasks, given the text "sums"',
      'options.repeats: expected a whole number, 1 or more, given the number -3',
      'options.order: expected "media", "length" or "none", given the text "fast"',
      'options.limt: no such option. Did you mean "limit"?',
    ],
  })
  await expect(evaluate({ model: 'dummy', tasks: ['mmmu_val'], store: {} as never })).rejects.toThrow(
    'options.store: expected a folder, or what openStore opened',
  )
  await expect(plan(undefined as never)).rejects.toThrow('is missing: expected an object of options')
  await expect(openStore(store, { access: 'read' })).rejects.toThrow(PipelineError)
})

test('ignores undefined options, and a limit of -1 means none', async () => {
  const { folder, task } = await colours()
  const options = { store: join(folder, 'store'), model: 'dummy', tasks: [task] }
  const usual = await plan(options)
  const same = await plan({ ...options, limit: -1, ...JSON.parse('{"stages": {}}'), repeats: undefined } as never)
  expect(same.run.id).toBe(usual.run.id)
})

/** Overwrites the first page of a table, as a failing disk does. */
async function damageTable(store: string, table: string): Promise<void> {
  const file = join(store, databaseName)
  const db = new Database(file)
  const { page } = db
    .prepare<[string], { page: number }>('SELECT rootpage AS page FROM sqlite_master WHERE name = ?')
    .get(table)!
  const size = db.pragma('page_size', { simple: true }) as number
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
  const handle = await open(file, 'r+')
  await handle.write(Buffer.alloc(size, 0xff), 0, size, (page - 1) * size)
  await handle.close()
}

test('a database error says what happened to the store, whoever opened it', async () => {
  const { folder, task } = await colours()
  const store = join(folder, 'store')
  const options = { store, model: 'dummy', tasks: [task] }
  const run = await evaluate(options)
  await damageTable(store, 'item')
  const explained = { code: 'store', message: expect.stringMatching(/is damaged/) as string }
  await expect(evaluate(options)).rejects.toMatchObject(explained)
  await expect(report(run)).rejects.toMatchObject(explained)
  await expect(collect(run.samples())).rejects.toMatchObject(explained)
  const opened = await openStore(store)
  await expect(evaluate({ ...options, store: opened })).rejects.toMatchObject(explained)
  await opened.close()
})

import { copyFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { landLog } from '../../../src/exchange/land-log.js'
import type { ForeignLog, ForeignSample, ForeignTask } from '../../../src/exchange/foreign-log.js'
import { findReader } from '../../../src/exchange/readers.js'
import { logFormats, writeLogs } from '../../../src/exchange/write/write-logs.js'
import type { PortableStore } from '../../../cache/bundle/portable.js'
import { isUnparsed } from '../../../cache/facts/value-facts.js'
import type { Run } from '../../../cache/records.js'
import type { Sample, Store } from '../../../cache/store.js'
import { temporaryFolder, temporaryStore } from '../../support/store.js'

type WholeStore = Store & PortableStore

/** A doc as far as every format can hold it. */
interface DocFacts {
  readonly prompt: string
  readonly answers: readonly string[]
  readonly values: Readonly<Record<string, unknown>>
  readonly unread: readonly string[]
  readonly isFailed: boolean
}

function describeDoc({ items, score }: Sample): DocFacts {
  const isFailed = items.some(({ failure }) => failure !== undefined)
  const messages = items[0]?.request?.input.messages ?? []
  const texts = messages.flatMap(({ content }) => content.flatMap(part => (part.type === 'text' ? [part.text] : [])))
  const names = Object.keys(score?.values ?? {}).sort()
  return {
    prompt: texts.join(''),
    answers: isFailed ? [] : items.flatMap(({ response }) => (response ? [readAnswer(response.body)] : [])),
    values: isFailed ? {} : Object.fromEntries(names.map(name => [name, score?.values[name]])),
    unread: names.filter(name => score !== undefined && isUnparsed(score, name)),
    isFailed,
  }
}

const readAnswer = ({ text, logprob }: { readonly text: string; readonly logprob?: number | undefined }): string =>
  logprob === undefined ? text : logprob.toFixed(6)

async function readDocs(store: WholeStore, run: Run): Promise<Readonly<Record<string, readonly DocFacts[]>>> {
  const judgement = (await store.judgements.list(run)).at(-1)
  const docs: Record<string, DocFacts[]> = {}
  for await (const sample of store.judgements.samples(run, judgement))
    (docs[run.asked.tasks[sample.task]?.name ?? ''] ??= []).push(describeDoc(sample))
  return docs
}

/** Writes a run, imports what was written into another store, and reads its docs. */
async function writeAndRead(store: WholeStore, run: Run, format: (typeof logFormats)[number]) {
  const folder = await temporaryFolder()
  const judgement = (await store.judgements.list(run)).at(-1)
  const files = await writeLogs(format, store, { run, judgement }, folder)
  const docs: Record<string, readonly DocFacts[]> = {}
  for (const path of format === 'inspect' ? files : [folder]) {
    const other = (await temporaryStore()) as WholeStore
    const reader = await findReader(path)
    if (reader === undefined) throw new Error(`no reader for ${path}`)
    for (const { outcome } of await landLog(other, await reader.open(path)))
      Object.assign(docs, await readDocs(other, outcome.run))
  }
  return docs
}

type Docs = Readonly<Record<string, readonly DocFacts[]>>

/** The docs without what a format cannot hold: Inspect has one answer for all choices, and no number of another kind than it has itself. */
const comparable = (docs: Docs, { format, likelihoods }: { format: string; likelihoods: readonly string[] }) =>
  Object.fromEntries(
    Object.entries(docs).map(([task, list]) => [
      task,
      list.map(doc =>
        format !== 'inspect'
          ? doc
          : { ...doc, ...(likelihoods.includes(task) && { answers: [] }), values: flattenValues(doc.values) },
      ),
    ]),
  )

/** In Inspect's logs, the parts of a value are values of their own. */
const flattenValues = (values: DocFacts['values']): DocFacts['values'] =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [[name, value]],
    ),
  )

const listLikelihoods = (docs: Docs): readonly string[] =>
  Object.keys(docs).filter(task =>
    docs[task]?.some(({ answers }) => answers.some(answer => /^-?\d+\.\d{6}$/.test(answer))),
  )

const logs = 'tests/fixtures/logs'
const fixtures: readonly string[] = [
  ...['lm-eval', 'lm-eval-choices', 'lm-eval-mutual', 'lmms-eval', 'vlmevalkit/log/tsv/Mock-1B'].map(name =>
    join(logs, name),
  ),
  ...['evalscope/log', 'helm/runs/simple_mcqa', 'helm/runs/simple_classification'].map(name => join(logs, name)),
  ...['inspect', 'promptfoo'].flatMap(name =>
    readdirSync(join(logs, name))
      .filter(file => /\.(eval|json)$/.test(file) && file !== 'chat.json')
      .map(file => join(logs, name, file)),
  ),
]

describe('a log that is imported, exported and imported again has the same docs', () => {
  test.each(fixtures.flatMap(path => logFormats.map(format => [path, format] as const)))(
    '%s as %s',
    async (path, format) => {
      const store = (await temporaryStore()) as WholeStore
      const reader = await findReader(path)
      if (reader === undefined) throw new Error(`no reader for ${path}`)
      for (const { outcome } of await landLog(store, await reader.open(path))) {
        const before = await readDocs(store, outcome.run)
        const after = await writeAndRead(store, outcome.run, format)
        const about = { format, likelihoods: listLikelihoods(before) }
        expect(comparable(after, about)).toEqual(comparable(before, about))
      }
    },
  )
})

/** Makes a log of one doc for each answer, with all values after each filter. */
function makeTask(
  task: string,
  {
    filters,
    repeats,
    unread,
    failed,
  }: { filters: readonly string[]; repeats: number; unread: boolean; failed: boolean },
): ForeignTask {
  const names = filters.map(filter => (filter === 'none' ? 'exact_match' : `exact_match,${filter}`))
  const makeSample = (id: number): ForeignSample => {
    const isUnread = unread && id === 1
    const isFailed = failed && id === 2
    return {
      id,
      messages: [{ role: 'user', content: `Вопрос ${id}: 数?` }],
      target: '7',
      answers: isFailed
        ? [{ error: 'no answer' }]
        : Array.from({ length: repeats }, (_, sample) => ({ text: `I think ${id}. The answer is ${sample}` })),
      scores: isFailed ? {} : Object.fromEntries(names.map(name => [name, isUnread ? 0 : 1])),
      extracted: Object.fromEntries(filters.map(filter => [filter, isUnread ? null : '7'])),
      ...(isUnread && { unread: filters }),
    }
  }
  return {
    task,
    model: 'm',
    source: 'log',
    config: {
      task,
      metric_list: [{ metric: 'exact_match' }],
      filter_list: filters.map(name => ({ name, filter: [] })),
    },
    reported: [],
    // eslint-disable-next-line @typescript-eslint/require-await -- the interface is asynchronous
    async *samples() {
      for (let id = 0; id < 3; id += 1) yield makeSample(id)
    },
  }
}

async function makeLog(tasks: readonly ForeignTask[]): Promise<ForeignLog> {
  const file = join(await temporaryFolder(), 'log')
  writeFileSync(file, JSON.stringify(tasks))
  return {
    tool: 'made',
    files: [file],
    // eslint-disable-next-line @typescript-eslint/require-await -- the interface is asynchronous
    async *tasks() {
      yield* tasks
    },
  }
}

const shapes = [['none'], ['num'], ['num', 'raw']].flatMap(filters =>
  [1, 3].flatMap(repeats =>
    [false, true].flatMap(unread => [false, true].map(failed => ({ filters, repeats, unread, failed }))),
  ),
)

describe('what is written is read', () => {
  test.each(logFormats)('for all filters, repeats, unread answers and failed docs as %s', async format => {
    const store = (await temporaryStore()) as WholeStore
    const [landed] = await landLog(store, await makeLog(shapes.map(shape => makeTask(JSON.stringify(shape), shape))))
    if (landed === undefined) throw new Error('no run')
    const after = await writeAndRead(store, landed.outcome.run, format)
    expect(Object.keys(after)).toHaveLength(24)
    expect(after).toEqual(await readDocs(store, landed.outcome.run))
  })

  test.each(logFormats)('also for names with white space, signs and other scripts as %s', async format => {
    const names = [
      'a b',
      'a_b',
      'a:b',
      'org/task',
      'наука',
      '数学',
      'A B',
      '1',
      'x'.repeat(300),
      'c,d',
      "it's",
      '..',
      '__proto__x',
    ]
    const shape = { filters: ['none'], repeats: 1, unread: false, failed: false }
    const store = (await temporaryStore()) as WholeStore
    const [landed] = await landLog(store, await makeLog(names.map(name => makeTask(name, shape))))
    if (landed === undefined) throw new Error('no run')
    const after = await writeAndRead(store, landed.outcome.run, format)
    expect(Object.keys(after).sort()).toEqual([...names].sort())
    expect(after).toEqual(await readDocs(store, landed.outcome.run))
  })
})

test('imports the tasks of a log whose samples are there, and names the others', async () => {
  const folder = await temporaryFolder()
  const source = join(logs, 'lm-eval')
  for (const file of readdirSync(source))
    if (!file.includes('samples_tiny_mc')) copyFileSync(join(source, file), join(folder, file))
  const reader = await findReader(folder)
  if (reader === undefined) throw new Error('no reader')
  const [landed] = await landLog((await temporaryStore()) as WholeStore, await reader.open(folder))
  expect(landed?.outcome.run.asked.tasks.map(({ name }) => name)).toEqual(['tiny_gen'])
  expect(landed?.notes).toContain('tiny_gen: the log has no samples of tiny_mc, so that this task is left out')
})

import { createWriteStream } from 'node:fs'
import { cp, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { projectRoot } from '../cache/code/project-root.js'
import { zipArchive, type ZipFile } from '../src/exchange/write/zip-writer.js'
import { excelTable, tabTable } from './long-tables.js'
import { passage } from './passage.js'

/** Makes a log with many samples in an empty folder, and returns the path that `pipeline import` is given. */
export type LongLog = (folder: string, samples: number) => Promise<string>

type Fields = Record<string, unknown>
type Vary = (row: Fields, number: number) => Fields

const fixtures = join(projectRoot, 'tests/fixtures/logs')

/**
 * Logs of each tool. They multiply what the tool itself wrote: each sample gets an id and a text of its own. The numbers that
 * a log reports stay as they are, so that an import prints differences.
 */
export const longLogs: Readonly<Record<string, LongLog>> = {
  'lmms-eval': (folder, samples) => harness('lmms-eval', folder, samples),
  'lm-eval': (folder, samples) => harness('lm-eval', folder, samples),
  inspect,
  'vlmevalkit tsv': tabTable,
  'vlmevalkit xlsx': excelTable,
  evalscope,
  promptfoo,
  helm,
}

/** Half of the samples is of a task with two filters, so that it has two lines of each doc. */
async function harness(tool: string, folder: string, samples: number): Promise<string> {
  await cp(join(fixtures, tool), folder, { recursive: true, filter: source => !source.endsWith('/tasks') })
  for (const name of await readdir(folder)) {
    if (!/samples.*\.jsonl$/.test(name)) continue
    const filters = /exact|gen/.test(name) ? 2 : 1
    const rows = linesOf(await readFile(join(folder, name), 'utf8'))
    const docs = rows.length / filters
    const blocks = Array.from({ length: filters }, (_, filter) => rows.slice(filter * docs, (filter + 1) * docs))
    const vary: Vary = (row, number) => {
      const { input, arguments: asked } = row
      const text = passage(number)
      if (typeof input === 'string') return { ...row, doc_id: number, input: `${text}\n${input}` }
      return { ...row, doc_id: number, arguments: withPassage(asked, text) }
    }
    await write(join(folder, name), ...blocks.map(block => repeated(block, samples / 2, vary, '\n')))
  }
  return folder
}

const withPassage = (asked: unknown, text: string): Fields =>
  Object.fromEntries(
    Object.entries(asked as Record<string, Fields>).map(([name, one]) => [
      name,
      { ...one, arg_0: `${text}\n${String(one['arg_0'])}` },
    ]),
  )

async function inspect(folder: string, samples: number): Promise<string> {
  const { samples: rows, ...header } = fieldsOf(await readFile(join(fixtures, 'inspect/colours.json'), 'utf8'))
  const file = join(folder, 'colours.eval')
  await pipeline(Readable.from(zipArchive(inspectFiles(rows as Fields[], header, samples))), createWriteStream(file))
  return file
}

// eslint-disable-next-line @typescript-eslint/require-await -- an archive takes its files one by one
async function* inspectFiles(rows: readonly Fields[], header: Fields, samples: number): AsyncGenerator<ZipFile> {
  for (let number = 0; number < samples; number++) {
    const row = { ...rows[number % rows.length], id: `doc${number >> 1}`, epoch: 1 + (number & 1) } as Fields
    const [first, ...rest] = row['messages'] as Fields[]
    const asked = { role: 'user', id: first?.['id'], content: passage(number >> 1) }
    yield {
      name: `samples/doc${number >> 1}_epoch_${1 + (number & 1)}.json`,
      content: JSON.stringify({ ...row, messages: [asked, first, ...rest] }),
    }
  }
  yield { name: 'header.json', content: JSON.stringify(header) }
}

async function evalscope(folder: string, samples: number): Promise<string> {
  await cp(join(fixtures, 'evalscope/log'), folder, { recursive: true })
  for (const name of ['general_mcq_capitals', 'general_vqa_colours'])
    for (const kind of ['predictions', 'reviews']) {
      const file = join(folder, kind, 'colours', `${name}.jsonl`)
      const vary: Vary = (row, index) => {
        const review = row['sample_score'] as Fields | undefined
        const place = { sample_id: index, group_id: index >> 1, generation_index: index & 1 }
        const asked = [{ role: 'user', content: passage(index >> 1) }, ...(row['messages'] as Fields[])]
        return {
          ...row,
          index,
          messages: asked,
          ...(review === undefined ? {} : { sample_score: { ...review, ...place } }),
        }
      }
      await write(file, repeated(linesOf(await readFile(file, 'utf8')), samples / 2, vary, '\n'))
    }
  return folder
}

async function promptfoo(folder: string, samples: number): Promise<string> {
  const { results, ...others } = fieldsOf(await readFile(join(fixtures, 'promptfoo/results.json'), 'utf8'))
  const { results: rows, ...heads } = results as { results: Fields[]; prompts: unknown[] }
  const columns = heads.prompts.length
  const vary: Vary = (row, number) => ({
    ...row,
    promptIdx: number % columns,
    testIdx: Math.floor(number / columns),
    prompt: { ...(row['prompt'] as Fields), raw: passage(Math.floor(number / columns)) },
  })
  const file = join(folder, 'results.json')
  const start = `${JSON.stringify({ ...others, results: heads }).slice(0, -2)},"results":[`
  await write(file, [start], repeated(rows, samples, vary, ','), [']}}'])
  return file
}

async function helm(folder: string, samples: number): Promise<string> {
  await cp(join(fixtures, 'helm/runs/simple_mcqa'), folder, { recursive: true })
  const states = join(folder, 'scenario_state.json')
  const { request_states: rows, ...others } = fieldsOf(await readFile(states, 'utf8'))
  const ofState: Vary = (row, number) => ({
    ...row,
    instance: { ...(row['instance'] as Fields), id: `id${number}` },
    request: { ...(row['request'] as Fields), prompt: passage(number) },
  })
  const start = `${JSON.stringify(others).slice(0, -1)},"request_states":[`
  await write(states, [start], repeated(rows as Fields[], samples, ofState, ','), [']}'])
  const stats = join(folder, 'per_instance_stats.json')
  const each = JSON.parse(await readFile(stats, 'utf8')) as Fields[]
  const ofStats: Vary = (row, number) => ({ ...row, instance_id: `id${number}` })
  await write(stats, ['['], repeated(each, samples, ofStats, ','), [']'])
  return folder
}

const fieldsOf = (text: string): Fields => JSON.parse(text) as Fields

const linesOf = (text: string): Fields[] => text.split('\n').filter(Boolean).map(fieldsOf)

/** Yields many rows as JSON, with a separator between them, or after each if it is the end of a line. */
function* repeated(rows: readonly Fields[], count: number, vary: Vary, separator: ',' | '\n'): Generator<string> {
  for (let number = 0; number < count; number++) {
    const text = JSON.stringify(vary(rows[number % rows.length] ?? {}, number))
    yield separator === '\n' ? `${text}\n` : number === 0 ? text : `,${text}`
  }
}

async function write(file: string, ...parts: readonly Iterable<string>[]): Promise<void> {
  const all = function* (): Generator<string> {
    for (const part of parts) yield* part
  }
  await pipeline(Readable.from(all()), createWriteStream(file))
}

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { landLog } from '../../../src/exchange/land-log.js'
import { findReader } from '../../../src/exchange/readers.js'
import { logFormats, writeLogs } from '../../../src/exchange/write/write-logs.js'
import { zipArchive } from '../../../src/exchange/write/zip-writer.js'
import type { PortableStore } from '../../../cache/bundle/portable.js'
import type { Aggregate, Run } from '../../../cache/records.js'
import type { Store } from '../../../cache/store.js'
import { temporaryFolder, temporaryStore } from '../../support/store.js'

type WholeStore = Store & PortableStore

async function landed(
  store: WholeStore,
  path: string,
): Promise<{ readonly run: Run; readonly aggregates: readonly Aggregate[] }> {
  const reader = await findReader(path)
  if (reader === undefined) throw new Error(`no reader for ${path}`)
  const [first] = await landLog(store, await reader.open(path))
  if (first === undefined) throw new Error('no run')
  const { run } = first.outcome
  return { run, aggregates: (await store.judgements.list(run)).at(-1)?.aggregates ?? [] }
}

const values = (aggregates: readonly Aggregate[]): readonly (readonly [string, number | null])[] =>
  aggregates
    .filter(({ of }) => of === undefined)
    .map(({ task, metric, filter, value }) => [`${task} ${metric} ${filter}`, value] as const)
    .sort()

test.each(logFormats)('a run written as a log of %s and imported again has the same scores', async format => {
  const store = (await temporaryStore()) as WholeStore
  const { run, aggregates } = await landed(store, 'tests/fixtures/logs/lmms-eval')
  const judgement = (await store.judgements.list(run)).at(-1)
  const folder = await temporaryFolder()
  const files = await writeLogs(format, store, { run, judgement }, folder)
  const tasks = [...new Set(aggregates.filter(({ of }) => of === undefined).map(({ task }) => task))].sort()
  const again = []
  for (const path of format === 'inspect' ? files : [folder]) {
    const other = (await temporaryStore()) as WholeStore
    again.push(...(await landed(other, path)).aggregates)
  }
  expect([...new Set(again.map(({ task }) => task))].sort()).toEqual(tasks)
  const numbers = (list: readonly Aggregate[]) =>
    values(list)
      .filter(([name]) => name.includes('exact_match'))
      .map(([, value]) => value)
  expect(numbers(again)).toEqual(numbers(aggregates))
})

test('an archive contains its files, even more than 65,535', async () => {
  const { default: yauzl } = await import('yauzl')
  const many = async function* () {
    await Promise.resolve()
    for (let at = 0; at < 65_540; at++) yield { name: `samples/${at}.json`, content: `{"n":${at}}` }
  }
  const parts: Buffer[] = []
  for await (const part of zipArchive(many())) parts.push(part)
  const names = await new Promise<number>((resolve, reject) => {
    yauzl.fromBuffer(Buffer.concat(parts), { lazyEntries: false }, (error, zip) => {
      if (error !== null) reject(error)
      let count = 0
      zip
        .on('entry', () => (count += 1))
        .on('end', () => resolve(count))
        .on('error', reject)
    })
  })
  expect(names).toBe(65_540)
})

test('results and samples for lmms-eval have the fields that it writes itself', async () => {
  const store = (await temporaryStore()) as WholeStore
  const { run } = await landed(store, 'tests/fixtures/logs/lmms-eval')
  const judgement = (await store.judgements.list(run)).at(-1)
  const folder = await temporaryFolder()
  const [results = '', samples = ''] = await writeLogs('lmms-eval', store, { run, judgement }, folder)
  const own = JSON.parse(await readFile('tests/fixtures/logs/lmms-eval/20261122_072312_results.json', 'utf8')) as object
  const written = JSON.parse(await readFile(results, 'utf8')) as object
  const needed = [
    'results',
    'configs',
    'versions',
    'n-shot',
    'higher_is_better',
    'n-samples',
    'config',
    'date',
    'model_name',
  ]
  expect(Object.keys(own)).toEqual(expect.arrayContaining(needed))
  expect(Object.keys(written)).toEqual(expect.arrayContaining(needed))
  const line = (text: string): object => JSON.parse(text.slice(0, text.indexOf('\n'))) as object
  const ownLine = line(
    await readFile(join('tests/fixtures/logs/lmms-eval/20261122_072312_samples_syn_exact.jsonl'), 'utf8'),
  )
  expect(Object.keys(line(await readFile(samples, 'utf8'))).sort()).toEqual(Object.keys(ownLine).sort())
})

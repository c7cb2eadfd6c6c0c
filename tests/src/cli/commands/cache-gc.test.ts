import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { openStore } from '../../../../cache/open.js'
import { collectGarbage as collect, judge, resume } from '../../../../src/index.js'
import type { Tools } from '../../../../src/cli/command.js'
import { collectGarbage } from '../../../../src/cli/commands/cache-gc.js'
import type { RemoveFlags } from '../../../../src/cli/commands/runs/runs-remove.js'
import { evaluate } from '../../../../src/evaluation/evaluate.js'
import { plain } from '../../../../src/present/text/layout/paint.js'
import { temporaryFolder } from '../../../support/store.js'

const never = new AbortController().signal
let store = ''
let printed: string[] = []

const tools = {
  terminal: {
    print: (lines: string | readonly string[]) => printed.push(...[lines].flat()),
    printData: (text: string) => printed.push(text),
    tell: (line: string) => printed.push(line),
    paint: { out: plain, err: plain },
  },
  env: {},
  clock: { wallNow: () => Date.now() },
} as unknown as Tools

const makeRun = (name: string, tag: string[] = []) =>
  evaluate(
    {
      ...{ store, env: {}, includePaths: [], plugins: [], model: 'dummy', modelArgs: { mode: 'fixed', text: name } },
      ...{ tasks: [join(store, '..', 'task.yaml')], genKwargs: {}, retryFailed: false, newRun: false, fresh: false },
      ...{ codeKey: 'revision' as const, name, tag },
    },
    { emit: () => undefined, drain: never, stop: never },
  )

const gc = (references: readonly string[], flags: RemoveFlags) => collectGarbage(references, { store, ...flags }, tools)

async function readStats() {
  const opened = await openStore(store, { access: 'read' })
  const stats = await opened.upkeep.stats()
  await opened.close()
  return stats
}

beforeEach(async () => {
  const folder = await temporaryFolder()
  store = join(folder, 'store')
  printed = []
  await writeFile(join(folder, 'rows.jsonl'), '{"q":"a"}\n{"q":"b"}\n')
  await writeFile(
    join(folder, 'task.yaml'),
    'task: own\ndataset_path: ./rows.jsonl\ndoc_to_text: q\ndoc_to_target: q\nmetric_list: [{metric: exact_match}]\n',
  )
  await makeRun('night/one', ['draft'])
  await makeRun('paper')
})

test('a dry run reports counts and bytes, and frees nothing', async () => {
  await gc([], { dryRun: true })
  expect(printed).toEqual(['nothing to free: runs refer to all that is stored'])
  printed = []
  await gc(['night/*'], { dryRun: true })
  expect(printed.join('\n')).toMatch(/night\/one[^]*runs to remove: 1 run with 2 docs and 1 judgement\n/)
  expect(printed.join('\n')).toMatch(/requests +2, 2 of them answered\nscores +2\njudge records +0\n/)
  expect(printed.at(-1)).toMatch(/^[\d.]+ kB would be freed$/)
  printed = []
  await gc([], { tag: 'draft', dryRun: true, json: true })
  expect(JSON.parse(printed[0] ?? '')).toMatchObject({
    would_free: { runs: [expect.any(String)], requests: 2, answers: 2, scores: 2, media: { files: 0, bytes: 0 } },
  })
  expect(await readStats()).toMatchObject({ runs: 2, requests: 4, responses: 4, scores: 4 })
})

test('needs --yes without a terminal, and remaining runs can be resumed and scored again', async () => {
  await expect(gc(['night/*'], {})).rejects.toThrow('cache gc: nothing was freed. Confirm with --yes')
  await expect(gc(['last'], {})).rejects.toThrow('cache gc takes a name; "last" changes')
  await gc([], { tag: 'draft', yes: true })
  expect(await readStats()).toMatchObject({ runs: 1, requests: 2, responses: 2, scores: 2 })
  const resumed = await resume('paper', { store })
  expect(resumed.counts).toMatchObject({ items: 2, answered: 2 })
  await writeFile(
    join(store, '..', 'task.yaml'),
    'task: own\ndataset_path: ./rows.jsonl\ndoc_to_text: q\ndoc_to_target: q\nmetric_list: [{metric: length, max: 9}]\n',
  )
  expect((await judge('paper', { store })).judgement?.aggregates).toMatchObject([{ metric: 'length', value: 1 }])
  // The requests of the removed run are sent again.
  const again = await makeRun('night/one')
  expect(again.counts).toMatchObject({ answered: 2 })
  expect(await readStats()).toMatchObject({ runs: 2, responses: 4 })
})

test('the library frees answers and sealed tables of a removed run', async () => {
  const opened = await openStore(store)
  const [first] = await opened.runs.list()
  if (first === undefined) throw new Error('no run')
  await opened.runs.remove(first)
  await opened.close()
  const planned = await collect({ store, dryRun: true })
  expect(planned).toMatchObject({ runs: [], answers: 2, scores: 2, sealed: { runs: [first.name] } })
  expect(await collect({ store })).toEqual(planned)
  expect(await collect({ store })).toMatchObject({ requests: 0, bytes: 0 })
  await expect(collect({ store, olderThan: 'long ago' })).rejects.toThrow('olderThan: expected an age')
})

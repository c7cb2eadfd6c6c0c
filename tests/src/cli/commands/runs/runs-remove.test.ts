import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { openStore } from '../../../../../cache/open.js'
import type { Tools } from '../../../../../src/cli/command.js'
import { removeRuns, type RemoveFlags } from '../../../../../src/cli/commands/runs/runs-remove.js'
import { evaluate } from '../../../../../src/evaluation/evaluate.js'
import { plain } from '../../../../../src/present/text/layout/paint.js'
import { temporaryFolder } from '../../../../support/store.js'

const never = new AbortController().signal
const day = 86_400_000
let store = ''
let printed: string[] = []

const tools = (daysLater = 0): Tools =>
  ({
    terminal: {
      print: (lines: string | readonly string[]) => printed.push(...[lines].flat()),
      printData: (text: string) => printed.push(text),
      tell: (line: string) => printed.push(line),
      paint: { out: plain, err: plain },
    },
    env: {},
    clock: { wallNow: () => Date.now() + daysLater * day },
  }) as unknown as Tools

async function makeRun(name: string, tag: string[] = []): Promise<void> {
  await evaluate(
    {
      ...{ store, env: {}, includePaths: [], plugins: [], model: 'dummy', modelArgs: { mode: 'fixed', text: name } },
      ...{ tasks: [join(store, '..', 'task.yaml')], genKwargs: {}, retryFailed: false, newRun: false, fresh: false },
      ...{ codeKey: 'revision' as const, name, tag },
    },
    { emit: () => undefined, drain: never, stop: never },
  )
}

async function listNames(): Promise<readonly unknown[]> {
  const opened = await openStore(store, { access: 'read' })
  const runs = await opened.runs.list()
  await opened.close()
  return runs.map(({ provenance }) => provenance.config.name)
}

const remove = (references: readonly string[], flags: RemoveFlags, daysLater = 0) =>
  removeRuns(references, { store, ...flags }, tools(daysLater))

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
  await makeRun('night/two')
  await makeRun('paper')
})

test('a dry run lists matching runs and removes nothing', async () => {
  await remove(['night/*'], { dryRun: true })
  expect(printed.join('\n')).toMatch(/\(night\/one\)[^]*\(night\/two\)/)
  expect(printed.at(-1)).toBe('would be removed: 2 runs with 4 docs and 2 judgements. Answers stay in the store.')
  expect(await listNames()).toHaveLength(3)
})

test('names and filters must both match, and needs --yes without a terminal', async () => {
  await expect(remove(['night/*'], { tag: 'draft' })).rejects.toThrow('nothing was removed. Confirm with --yes')
  await remove(['night/*'], { tag: 'draft', yes: true, json: true })
  expect(JSON.parse(printed.at(-1) ?? '')).toEqual({ removed: [expect.any(String)] })
  expect(await listNames()).toEqual(['night/two', 'paper'])
})

test('the age of a run is relative to now', async () => {
  await remove([], { olderThan: '30d', yes: true }, 29)
  expect(printed).toEqual(['no run fits'])
  await remove([], { olderThan: '30d', model: 'dummy', yes: true }, 31)
  expect(await listNames()).toEqual([])
})

test('rejects a removal without a name or filter, or with a name that changes', async () => {
  await expect(remove([], {})).rejects.toThrow('runs rm: name runs, or choose some')
  await expect(remove(['last'], {})).rejects.toThrow('runs rm takes a name; "last" changes')
})

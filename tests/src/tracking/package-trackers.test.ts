import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readDestinations } from '../../../src/tracking/destinations.js'
import { namedTrackers } from '../../../src/tracking/named-trackers.js'
import { guardServer } from '../../../src/tracking/python/guard-server.js'
import { sendRun } from '../../../src/tracking/track-run.js'
import { aggregate } from '../../support/report-data.js'
import { temporaryFolder, temporaryStore } from '../../support/store.js'
import { png, viewedRun } from '../../support/viewed-run.js'

/** A package that writes its calls to a file and implements the used part of W&B's interface. */
const fake = `import json, os
print('a line that is no answer')
def note(*call):
    with open(os.environ['WANDB_CALLS'], 'a') as file: file.write(json.dumps(call, default=lambda one: one.shown) + '\\n')
class Image:
    def __init__(self, path): self.shown = {'image': path.endswith('.png') and os.path.getsize(path) > 0}
class Table:
    def __init__(self, columns): self.shown = {'columns': columns, 'rows': []}
    def add_data(self, *row): self.shown['rows'].append(row)
class Artifact:
    def __init__(self, name, type): self.shown = []
    def add_file(self, path): self.shown.append(os.path.basename(path))
class Run:
    url = 'https://tracker/run'
    def log(self, numbers, step=None): note('log', numbers, step)
    def log_artifact(self, artifact): note('artifact', artifact)
    def finish(self): note('finish')
def init(**given):
    note('init', given)
    if given.get('mode') == 'broken': raise ValueError('no login')
    return Run()
`

async function sender(model = 'm') {
  const folder = await temporaryFolder()
  const packages = join(folder, 'packages')
  await mkdir(packages)
  await writeFile(join(packages, 'wandb.py'), fake)
  const store = await temporaryStore()
  const docs = [{ picture: await png(4, 4), answer: 'blue', score: { values: { exact_match: 1 } } }, { answer: 'red' }]
  const opened = await viewedRun(store, docs, {
    aggregates: [aggregate({ stderr: null })],
    extra: { model: { backend: 'openai', args: { model } } },
  })
  const calls = join(folder, 'calls')
  await writeFile(calls, '')
  const env = { PATH: process.env['PATH'], PYTHONPATH: packages, WANDB_CALLS: calls, OPENAI_API_KEY: 'secret' }
  return {
    send: (flags: Parameters<typeof namedTrackers>[0]) =>
      sendRun(store, opened, readDestinations(namedTrackers(flags, {}), env), {
        env,
        signal: new AbortController().signal,
      }),
    calls: async () =>
      (await readFile(calls, 'utf8'))
        .split('\n')
        .filter(line => line !== '')
        .map(line => JSON.parse(line) as readonly [string, Record<string, unknown>, unknown]),
  }
}

test("sends a run through the tracker's package once: numbers, a table with pictures, and files", async () => {
  const { send, calls } = await sender()
  const flags = { track: ['wandb=demo,group=g,step=300'] }
  expect((await send(flags))[0]).toMatchObject({ state: 'sent', where: 'https://tracker/run' })
  expect((await send(flags))[0]).toMatchObject({ state: 'unchanged' })
  const made = await calls()
  expect(made.map(([name]) => name)).toEqual(['init', 'log', 'log', 'artifact', 'finish'])
  expect(made[0]?.[1]).toMatchObject({ project: 'demo', group: 'g', resume: 'allow' })
  expect(made[1]?.[1]).toMatchObject({ 'shapes_vqa/exact_match': 0.905 })
  expect(Object.keys(made[1]?.[1] ?? {})).not.toContain('shapes_vqa/exact_match/stderr')
  expect(made[1]?.[2]).toBe(300)
  const { columns, rows } = made[2]?.[1]['samples/shapes_vqa'] as { columns: readonly string[]; rows: unknown[][] }
  expect(columns).toEqual(['doc', 'prompt', 'answer', 'target', 'outcome', 'exact_match', 'picture'])
  expect(rows.map(row => row.slice(-2))).toEqual([
    [1, { image: true }],
    [0, null],
  ])
  expect(made[3]?.[1]).toContain('results.json')
})

test("lmms-eval's --wandb_args does the same, without samples unless requested", async () => {
  const { send, calls } = await sender()
  await send({ wandbArgs: 'project=p,name=n' })
  const made = await calls()
  expect(made[0]?.[1]).toMatchObject({ project: 'p', name: 'n' })
  expect(made.map(([name]) => name)).toEqual(['init', 'log', 'artifact', 'finish'])
  expect(made[2]?.[1]).not.toContain('samples_shapes_vqa.jsonl')
  expect(namedTrackers({ wandbArgs: '' }, {})).toEqual([])
})

test('reports a missing or failing package and says what to do', async () => {
  const { send } = await sender()
  const outcomes = await send({ track: ['wandb=p,mode=broken', 'swanlab=p'] })
  expect(outcomes.map(({ state }) => state)).toEqual(['failed', 'failed'])
  expect(outcomes[0]?.problem).toBe('wandb failed: ValueError: no login')
  expect(outcomes[1]?.problem).toContain('python3 -m pip install swanlab')
})

test('two runs with equal scores have two ids, also at two destinations', async () => {
  const ids = async (track: string, model: string): Promise<unknown> => {
    const { send, calls } = await sender(model)
    await send({ track: [track] })
    return (await calls()).find(([name]) => name === 'init')?.[1]['id']
  }
  const first = await ids('wandb=p', 'a')
  expect(first).toMatch(/^pl-[0-9a-f]{16}$/)
  expect(await ids('wandb=p', 'b')).not.toBe(first)
  expect(await ids('wandb=other', 'a')).not.toBe(first)
})

test.each([
  ['nobody answers', 'http://127.0.0.1:9', 'refused'],
  ['it has no address', 'http://no-such-host.invalid', 'reached'],
])('a package whose server is away is ended soon, and the server is named: %s', async (_why, server, reason) => {
  const signal = new AbortController().signal
  const wait = (ownSignal: AbortSignal): Promise<never> =>
    new Promise((_, reject) => {
      ownSignal.addEventListener('abort', () => {
        reject(new Error('ended'))
      })
    })
  const sending = guardServer({ tool: 'wandb', server, signal, answerMs: 500 }, wait)
  await expect(sending).rejects.toThrow(`wandb: ${server} can't be reached`)
  await expect(sending).rejects.toThrow(new RegExp(reason, 'i'))
})

test('a package that ends by itself is not looked after any more', async () => {
  const about = { tool: 'wandb', server: 'http://127.0.0.1:9', signal: new AbortController().signal }
  expect(await guardServer(about, () => Promise.resolve('sent'))).toBe('sent')
  await expect(guardServer(about, () => Promise.reject(new Error('no login')))).rejects.toThrow('no login')
})

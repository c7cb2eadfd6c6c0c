import { Wake } from '../../../base/time/wake.js'
import { expect, test } from 'vitest'
import { responseKey } from '../../../cache/keys.js'
import type { Run } from '../../../cache/records.js'
import { requestKeys } from '../../../cache/request-keys.js'
import { RunDraws } from '../../../stages/input/draws.js'
import { ingestTask, type Selection } from '../../../stages/input/ingest.js'
import { loadTask } from '../../../stages/input/tasks/load-task.js'
import type { Task } from '../../../stages/input/tasks/task.js'
import { MemoryData } from '../../support/memory-data.js'
import { addRun, MemoryStore } from '../../support/memory-store.js'
import { testAsked, testProvenance } from '../../support/store.js'
import { temporaryFolder } from './temp-folder.js'

const folder = temporaryFolder()

/** Letters are the prompts of a task's docs, in order. */
async function taskOf(name: string, prompts: string, yaml = ''): Promise<Task> {
  const rows = Array.from(prompts, (question, id) => JSON.stringify({ id, question, answer: 'a' }))
  await folder.write(`${name}.jsonl`, rows.join('\n'))
  const text = `task: ${name}\ndataset_path: ${name}.jsonl\ndoc_to_text: "{{question}}"\ndoc_to_target: answer\n`
  const file = await folder.write(`${name}.yaml`, `${text}generation_kwargs: {temperature: 1.0}\n${yaml}`)
  return loadTask(file, { cacheDir: folder.path('cache') })
}

interface World {
  readonly store: MemoryStore
  readonly run: Run
}

function world(data = new MemoryData(), tasks = 1): World {
  const asked = testAsked()
  const [task] = asked.tasks
  const run = addRun(
    data,
    { ...asked, tasks: Array.from({ length: tasks }, (_, n) => ({ ...task!, name: `t${n}` })) },
    testProvenance,
  ).run
  return { store: new MemoryStore(data), run }
}

/** Reads tasks as a run does, all at the same time. @param stopAfter the number of commits after which it stops */
async function read(
  { store, run }: World,
  tasks: readonly Task[],
  selection: Selection = {},
  stopAfter = Infinity,
): Promise<void> {
  const drain = new AbortController()
  let commits = 0
  const draws = new RunDraws({ store, run, tasks: tasks.map((_, n) => n), isSharded: selection.shard !== undefined })
  const emit = (event: { readonly type: string }): void => {
    if (event.type === 'docs-read' && ++commits >= stopAfter) drain.abort()
  }
  await Promise.all(
    tasks.map(async (task, taskIndex) => {
      const own = draws.next(taskIndex)
      const wake = new Wake()
      await ingestTask({ store, run, taskIndex, task, selection, draws: own, wake, drain: drain.signal, emit })
      own!.end()
    }),
  )
}

/** The draw of each item: `task/doc sample: prompt draw`. */
const drawsOf = ({ store, run }: World): readonly string[] =>
  store.data
    .run(run)
    .items.toSorted((a, b) => a.task - b.task || a.doc - b.doc || a.sample - b.sample)
    .map(({ task, doc, sample, request }) => {
      const { keys, asked } = store.data.requests.get(request!)!
      const [part] = asked.input.messages[0]!.content
      return `${task}/${doc} ${sample}: ${part?.type === 'text' ? part.text : ''}${keys.sample}`
    })

const short = (of: World): string =>
  drawsOf(of)
    .map(text => text.split(': ')[1])
    .join(' ')

test('the n-th equal request of a run takes sample n', async () => {
  const here = world()
  await read(here, [await taskOf('a', 'xyxxyz')])
  expect(short(here)).toBe('x0 y0 x1 x2 y1 z0')
})

test('numbers repeats of a doc before equal requests of the next doc', async () => {
  const here = world()
  await read(here, [await taskOf('b', 'xyx', 'repeats: 2\n')])
  expect(drawsOf(here)).toEqual(['0/0 0: x0', '0/0 1: x1', '0/1 0: y0', '0/1 1: y1', '0/2 0: x2', '0/2 1: x3'])
})

test('the first of equal requests keeps the key from when all of them shared an answer', async () => {
  const here = world()
  await read(here, [await taskOf('c', 'x')])
  const { keys, asked } = [...here.store.data.requests.values()][0]!
  const { input, config, code, response } = requestKeys(here.run.asked)({ ...asked, sample: 0 })
  expect([keys.response, response]).toEqual(
    Array(2).fill(responseKey({ input: input.key, config: config.key, code, sample: 0 })),
  )
})

test('equal requests of several tasks of a run get different samples, in the order of tasks', async () => {
  const here = world(undefined, 3)
  await read(here, [await taskOf('d', 'xy'), await taskOf('e', 'yx'), await taskOf('f', 'xx')])
  expect(short(here)).toBe('x0 y0 y1 x1 x2 x3')
})

test('interrupted reading continues with the same sample numbers', async () => {
  const prompts = 'xyz'.repeat(40)
  const task = await taskOf('g', prompts)
  const [whole, stopped] = [world(), world()]
  await read(whole, [task])
  for (let start = 0; start < 9; start++) await read(stopped, [task], {}, 1)
  expect(drawsOf(stopped)).toEqual(drawsOf(whole))
  expect(new Set(whole.store.data.run(whole.run).items.map(({ request }) => request)).size).toBe(prompts.length)
})

test('a shard has the same sample numbers as the whole run', async () => {
  const tasks = [await taskOf('h', 'xyxxyzxxyyxz'), await taskOf('i', 'zzxyxzxyzx')]
  const whole = world(undefined, 2)
  await read(whole, tasks)
  const parts: string[] = []
  for (const index of [1, 2, 3]) {
    const part = world(undefined, 2)
    const shard = { shard: { index, of: 3 } }
    // An interrupted shard reads the docs of the others again.
    await read(part, tasks, shard, 1)
    await read(part, tasks, shard)
    parts.push(...drawsOf(part))
  }
  expect(parts.toSorted()).toEqual(drawsOf(whole).toSorted())
})

test('another run reuses stored samples with the same numbers', async () => {
  const data = new MemoryData()
  await read(world(data), [await taskOf('j', 'xxy')])
  expect(data.requests.size).toBe(3)
  const other = { store: new MemoryStore(data), run: addRun(data, { ...testAsked(), repeat: 2 }, testProvenance).run }
  await read(other, [await taskOf('k', 'yxx')])
  expect([short(other), data.requests.size]).toEqual(['y0 x0 x1', 3])
})

test('docs that are read again after a failure get sample numbers that no other doc has', async () => {
  const here = world()
  const task = await taskOf('l', 'xxx')
  await read(here, [task])
  const stored = here.store.data.run(here.run)
  stored.items = stored.items.map(item => (item.doc === 1 ? { ...item, request: undefined } : item))
  const draws = new RunDraws({ ...here, tasks: [0], isSharded: false }).next(0)
  const { reingestDocs } = await import('../../../stages/input/ingest.js')
  const rest = { selection: {}, wake: new Wake(), drain: new AbortController().signal, emit: () => undefined }
  await reingestDocs({ ...here, ...rest, taskIndex: 0, task, draws }, new Set([1]))
  expect(new Set(stored.items.map(({ request }) => request)).size).toBe(3)
})

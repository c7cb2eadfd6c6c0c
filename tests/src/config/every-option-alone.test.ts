/** No option of one evaluation reaches another one in the process: each behaves and stores as if it were alone. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { PipelineError } from '../../../base/errors/errors.js'
import { canonicalDump } from '../../../cache/canonical-dump.js'
import type { StageEvent } from '../../../cache/events.js'
import { openStore } from '../../../cache/open.js'
import { makeGroupSettings, type FlagsOf } from '../../../src/config/option.js'
import { plainOptions } from '../../../src/config/options.js'
import type { EvalSettings } from '../../../src/config/settings.js'
import { evaluate } from '../../../src/evaluation/evaluate.js'
import { temporaryFolder } from '../../support/store.js'

type Name = keyof typeof plainOptions

let folder = ''

/** A value for every option of the table. An option without one does not compile. */
const values: Required<FlagsOf<typeof plainOptions>> = {
  limit: 2,
  limitBy: 'q',
  offset: 1,
  subset: 2,
  subsetSeed: 5,
  samples: { alone: [0, 2] },
  docs: ['0', '2'],
  shard: { index: 1, of: 2 },
  stopWhen: { type: 'half-width', below: 0.2 },
  numFewshot: 2,
  fewshotAsMultiturn: true,
  systemInstruction: 'Answer with one word.',
  repeats: 2,
  reduce: ['mean'],
  cluster: 'none',
  fewshotSeed: 7,
  override: { alone: { doc_to_text: '{{q}}!' } },
  forceSimple: true,
  reasoningTags: [['<a>', '</a>']],
  concurrency: 2,
  maxConcurrency: 2,
  order: 'none',
  hedge: { ms: 30_000 },
  retryFailed: true,
  batch: true,
  batchRequests: 2,
  poll: 1,
  wait: true,
  maxRequests: 1,
  maxTokensTotal: 1,
  maxCost: 0.01,
  maxTime: 300_000,
  failFast: 1,
  prices: 'examples/prices.yaml',
  mcp: ['http://127.0.0.1:9/mcp'],
  tools: 'tests/fixtures/no-such-tools.json',
  maxToolRounds: 1,
  toolTimeout: 5,
  judgeModel: 'dummy',
  judgeOverride: { old: 'alone' },
  parity: 'lmms-eval',
  newRun: true,
  fresh: true,
  codeKey: 'files',
  codeVersion: 'v1',
  name: 'first try',
  tag: ['draft'],
  note: 'a remark',
  modelName: 'mine',
  python: '/no/such/python',
  allowNetwork: true,
  pythonSeconds: 5,
  pythonMemoryMb: 9_000,
}
const names = Object.keys(plainOptions) as Name[]

async function writeTask(): Promise<void> {
  folder = await temporaryFolder()
  await mkdir(join(folder, 'task'))
  const rows = Array.from({ length: 5 }, (_, index) =>
    JSON.stringify({ q: `question ${index}`, a: `question ${index}` }),
  )
  await writeFile(join(folder, 'task', 'docs.jsonl'), `${rows.join('\n')}\n`)
  const task = 'task: alone\ndataset_path: ./docs.jsonl\ndoc_to_text: "{{q}}"\ndoc_to_target: a\n'
  await writeFile(join(folder, 'task', 'task.yaml'), `${task}metric_list: [{metric: exact_match}]\n`)
}

const never = new AbortController().signal
let stores = 0

/** Everything that an evaluation in its own store prints and stores, except times. */
async function evaluated(name: Name | undefined): Promise<object> {
  const store = join(folder, `store-${stores++}`)
  const notes: string[] = []
  const settings: EvalSettings = {
    store,
    env: {},
    includePaths: [],
    plugins: [],
    model: 'dummy',
    modelArgs: { mode: 'echo' },
    tasks: [join(folder, 'task', 'task.yaml')],
    genKwargs: {},
    retryFailed: false,
    newRun: false,
    fresh: false,
    codeKey: 'revision',
    ...makeGroupSettings(plainOptions, name === undefined ? {} : { [name]: values[name] }, {}),
  }
  const emit = (event: StageEvent): void => {
    if (event.type === 'note') notes.push(event.text)
  }
  try {
    const { run, judgement, asked, stopped } = await evaluate(settings, { emit, drain: never, stop: never })
    const opened = await openStore(store, { access: 'read' })
    const dump: string[] = []
    for await (const line of canonicalDump(opened, run, judgement)) dump.push(line)
    await opened.close()
    return withoutStore({
      id: run.id,
      asked: run.asked,
      config: run.provenance.config,
      requests: asked,
      stopped,
      notes,
      dump,
    })
  } catch (error) {
    if (!(error instanceof PipelineError)) throw error
    return withoutStore({ error: error.message, notes })
  }

  function withoutStore(seen: object): object {
    return JSON.parse(JSON.stringify(seen).replaceAll(store, 'STORE')) as object
  }
}

describe('each option alone', () => {
  test('does not change a later evaluation without it, and is not changed by other options', async () => {
    await writeTask()
    const plain = await evaluated(undefined)
    const first = new Map<Name, object>()
    for (const name of names) first.set(name, await evaluated(name))
    expect(await evaluated(undefined)).toEqual(plain)
    // In reverse order each follows other options, so that a leftover would change one of its two evaluations.
    for (const name of names.toReversed()) expect([name, await evaluated(name)]).toEqual([name, first.get(name)])
    expect(await evaluated(undefined)).toEqual(plain)
    // The other values change the output or the store. These need failures, batches or time.
    const unseen = names.filter(name => JSON.stringify(first.get(name)) === JSON.stringify(plain))
    expect(unseen).toEqual(['retryFailed', 'batchRequests', 'poll', 'wait', 'maxTime', 'failFast', 'tag'])
  })
})

/** No key of a job affects the next one in the same worker: each behaves as if it were alone. */
import { randomUUID } from 'node:crypto'
import { mkdir, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Json } from '../../../../base/values/canonical-json.js'
import { without } from '../../../../base/values/without.js'
import { canonicalDump } from '../../../../cache/canonical-dump.js'
import type { RunKey } from '../../../../cache/digest.js'
import { openStore } from '../../../../cache/open.js'
import type { JsonObject } from '../../../../cache/records.js'
import type { requestSchema } from '../../../../src/service/jobs/job-request.js'
import { work } from '../../../../src/service/jobs/worker.js'
import { temporaryFolder } from '../../../support/store.js'

/** Keys that name tasks and models, belong to the queue, or are accepted and ignored. */
type OtherKey =
  | 'model'
  | 'model_args'
  | 'tasks'
  | 'priority'
  | 'labels'
  | 'webhook'
  | 'num_gpus'
  | 'output_dir'
  | 'output_path'
  | 'log_samples'
  | 'batch_size'
  | 'max_batch_size'
  | 'device'
  | 'use_cache'
  | 'cache_requests'
  | 'check_integrity'
  | 'write_out'
  | 'log_samples_suffix'
  | 'wandb_args'
  | 'wandb_log_samples'
  | 'swanlab_args'
  | 'swanlab_log_samples'
  | 'hf_hub_log_args'
  | 'apply_chat_template'
  | 'show_config'
  | 'verbosity'
  | 'timezone'
  | 'trust_remote_code'
  | 'process_with_media'
  | 'agentic_trace_mode'
type Key = Exclude<keyof typeof requestSchema.shape, OtherKey>

/** A value for every key that a job may carry. A key without one does not compile. */
const values: Readonly<Record<Key, Json>> = {
  limit: 2,
  limit_by: 'q',
  offset: 1,
  subset: 2,
  subset_seed: 5,
  samples: { carrying: [0, 2] },
  docs: ['0', '2'],
  shard: '1/2',
  stop_when: 'half-width < 0.2',
  num_fewshot: 2,
  fewshot_as_multiturn: true,
  system_instruction: 'Answer with one word.',
  repeats: 2,
  reduce: 'mean',
  cluster: 'none',
  fewshot_seed: 7,
  force_simple: true,
  reasoning_tags: [['<a>', '</a>']],
  concurrency: 2,
  max_concurrency: 2,
  order: 'none',
  hedge: '30s',
  retry_failed: true,
  batch: true,
  batch_requests: 2,
  poll: 1,
  wait: true,
  max_requests: 1,
  max_tokens_total: 1,
  max_cost: 0.01,
  max_time: '5m',
  fail_fast: 1,
  prices: 'examples/prices.yaml',
  mcp: ['http://127.0.0.1:9/mcp'],
  tools: 'tests/fixtures/tools.json',
  max_tool_rounds: 1,
  tool_timeout: 5,
  judge_model: 'dummy',
  judge_args: { mode: 'echo' },
  judge_for: { carrying: 'dummy,mode=echo' },
  judge_override: { old: 'carrying' },
  parity: 'lmms-eval',
  new_run: true,
  fresh: true,
  code_key: 'files',
  code_version: 'v1',
  name: 'first try',
  tag: ['draft'],
  note: 'a remark',
  model_name: 'mine',
  python: '/no/such/python',
  allow_network: true,
  python_seconds: 5,
  python_memory_mb: 9_000,
  gen_kwargs: { temperature: 0.5 },
  max_tokens: 5,
  seed: 3,
  predict_only: true,
  include_path: ['tests/fixtures'],
  plugin: ['tests/fixtures/no-such-plugin.js'],
}
const keys = Object.keys(values) as Key[]

/** Three tasks with other docs, so that no job finds its answers in the store. */
async function writeTasks(): Promise<string> {
  const folder = await realpath(await temporaryFolder())
  for (const name of ['plain', 'carrying', 'after']) {
    await mkdir(join(folder, name))
    const rows = Array.from({ length: 4 }, (_, index) =>
      JSON.stringify({ q: `${name} ${index}`, a: `${name} ${index}` }),
    )
    await writeFile(join(folder, name, 'docs.jsonl'), `${rows.join('\n')}\n`)
    const task = `task: ${name}\ndataset_path: ./docs.jsonl\ndoc_to_text: "{{q}}"\ndoc_to_target: a\n`
    await writeFile(join(folder, name, 'task.yaml'), `${task}metric_list: [{metric: exact_match}]\n`)
  }
  return folder
}

/** Runs jobs one after another in one worker on a new store. @returns what each says and leaves, but for times */
async function workOn(folder: string, requests: readonly JsonObject[]): Promise<readonly object[]> {
  const place = await temporaryFolder()
  const store = await openStore(place)
  try {
    const jobs = requests.map(request => ({ id: randomUUID(), request, group: 'dummy' }))
    for (const job of jobs) await store.jobs.submit(job)
    const allowDirs = [folder, process.cwd()]
    const shutdown = new AbortController()
    let open = jobs.length
    // A worker leaves jobs that its policy rejects to others, and continues.
    const endOne = (): void => {
      open -= 1
      if (open === 0) shutdown.abort()
    }
    await work(store, {
      env: {},
      includePaths: [],
      plugins: [],
      policy: { allowDirs, allowUrls: ['http://127.0.0.1:9/mcp'], secrets: new Map(), allowCommands: true },
      shutdown: shutdown.signal,
      now: () => performance.now(),
      limits: {},
      onState({ state }) {
        if (state === 'left') endOne()
      },
      onEnd: () => Promise.resolve(endOne()),
    })
    const seen: object[] = []
    for (const { id } of jobs) {
      const { status, error, run: key, result = {} } = (await store.jobs.find(id))!
      const run = key === undefined ? undefined : await store.runs.find(key as RunKey)
      const notes = (await store.jobs.events(id, 0, 1_000)).filter(({ type }) => type === 'note')
      const dump: string[] = []
      if (run !== undefined)
        for await (const line of canonicalDump(store, run, (await store.judgements.list(run)).at(-1))) dump.push(line)
      const kept = run && { asked: run.asked, config: run.provenance.config }
      const session = without((result['session'] as JsonObject | undefined) ?? {}, 'elapsed_ms', 'elapsedMs')
      seen.push({ status, error, key, session, notes: notes.map(({ data }) => data), dump, kept })
    }
    return JSON.parse(JSON.stringify(seen).replaceAll(place, 'STORE')) as readonly object[]
  } finally {
    await store.close()
  }
}

test('a job with any key affects no job after it, and none before affects it', async () => {
  const folder = await writeTasks()
  const job = (task: string, carried: JsonObject = {}): JsonObject => ({
    model: 'dummy',
    model_args: { mode: 'echo' },
    tasks: [join(folder, task, 'task.yaml')],
    ...carried,
  })
  const [plain, after] = [job('plain'), job('after')]
  const [plainAlone] = await workOn(folder, [plain])
  const [afterAlone] = await workOn(folder, [after])
  const [carryingNothing] = await workOn(folder, [job('carrying')])
  expect(plainAlone).toMatchObject({ status: 'completed' })
  const unseen: Key[] = []
  for (const key of keys) {
    const carrying = job('carrying', { [key]: values[key] })
    const [alone] = await workOn(folder, [carrying])
    const [first, second, third] = await workOn(folder, [plain, carrying, after])
    expect([key, first, third]).toEqual([key, plainAlone, afterAlone])
    // New samples are numbered after all stored ones, as intended.
    if (key !== 'fresh') expect([key, second]).toEqual([key, alone])
    if (JSON.stringify(alone) === JSON.stringify(carryingNothing)) unseen.push(key)
  }
  // The other values change the output or the store. These need failures, batches, time or a judge.
  expect(unseen).toEqual(['retry_failed', 'batch_requests', 'poll', 'wait', 'max_time', 'fail_fast', 'tag'])
})

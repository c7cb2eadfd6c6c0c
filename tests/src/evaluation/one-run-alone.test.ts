/** A setting of one evaluation does not affect another one in the process, whether later or concurrent. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PipelineError } from '../../../base/errors/errors.js'
import { evaluate } from '../../../src/evaluation/evaluate.js'
import type { EvalSettings } from '../../../src/config/settings.js'
import { evaluatedRun } from '../../../src/library/runs/results.js'
import { hasPython, python } from '../../support/python-pool.js'

type Given = Partial<EvalSettings>

/** Two settings of one option, and what an evaluation with each shows. */
interface Case {
  readonly option: string
  readonly task: 'observer' | 'endless' | 'packaged' | 'slow' | 'long' | 'two'
  readonly one: Given
  readonly other: Given
  /** What distinguishes the two evaluations. */
  readonly shows: readonly [one: unknown, other: unknown]
  /** Keys of the stored settings that only the first has. */
  readonly stored?: Readonly<Record<string, unknown>>
}

let folder = ''
const at = (...names: string[]): string => join(folder, ...names)
const variables = (given: Readonly<Record<string, string>>): Given => ({ env: { ...process.env, ...given } })

/** Python code that shows in its scores how it runs. */
const observer = `
import os, resource, socket, sys

def network():
    try:
        socket.create_connection(("127.0.0.1", 9), 0.2).close()
    except PermissionError:
        return 0.0
    except OSError:
        pass
    return 1.0

def process_results(doc, results):
    return {
        "network": network(),
        "memory": float(resource.getrlimit(resource.RLIMIT_AS)[0] == 8_000 * 2**20),
        "other": float("other-python" in sys.executable),
        "extra": float(os.environ.get("EXTRA_SETTING") == "1"),
        "hub": float(os.environ["HF_HOME"].endswith("hub-home")),
    }
`
const nothing = { network: 0, memory: 0, other: 0, extra: 0, hub: 0 }

const cases: readonly Case[] = [
  {
    option: 'allowNetwork',
    task: 'observer',
    one: { allowNetwork: true },
    other: {},
    shows: [{ ...nothing, network: 1 }, nothing],
    stored: { allow_network: true },
  },
  {
    option: 'pythonMemoryMb',
    task: 'observer',
    one: { pythonMemoryMb: 8_000 },
    other: {},
    shows: [{ ...nothing, memory: 1 }, nothing],
    stored: { python_memory_mb: 8_000 },
  },
  {
    option: 'python',
    task: 'observer',
    get one() {
      return { python: at('other-python') }
    },
    other: {},
    shows: [{ ...nothing, other: 1 }, nothing],
    get stored() {
      return { python: at('other-python') }
    },
  },
  {
    option: 'PIPELINE_PYTHON',
    task: 'observer',
    get one() {
      return variables({ PIPELINE_PYTHON: at('other-python') })
    },
    other: {},
    shows: [{ ...nothing, other: 1 }, nothing],
  },
  {
    option: 'PIPELINE_PYTHON_ENV',
    task: 'observer',
    one: variables({ PIPELINE_PYTHON_ENV: 'EXTRA_SETTING', EXTRA_SETTING: '1' }),
    other: variables({ EXTRA_SETTING: '1' }),
    shows: [{ ...nothing, extra: 1 }, nothing],
  },
  {
    option: 'HF_HOME',
    task: 'observer',
    one: variables({ HF_HOME: '/hub-home' }),
    other: {},
    shows: [{ ...nothing, hub: 1 }, nothing],
  },
  {
    option: 'limit',
    task: 'two',
    one: { limit: 1 },
    other: {},
    shows: [{ right: 1 }, { right: 0.5 }],
    stored: { limit: 1 },
  },
  {
    option: 'pythonSeconds',
    task: 'slow',
    one: { pythonSeconds: 0.5 },
    other: { pythonSeconds: 1 },
    shows: [expect.stringContaining('0.5 s'), expect.stringMatching(/\b1 s/)],
    stored: { python_seconds: 0.5 },
  },
  {
    option: 'includePaths',
    task: 'packaged',
    get one() {
      return { includePaths: [at('packages')] }
    },
    other: {},
    shows: [{ shared: 1 }, expect.stringContaining('lmms_eval.tasks')],
    get stored() {
      return { include_path: [at('packages')] }
    },
  },
  {
    option: 'PIPELINE_CODE_TIMEOUT',
    task: 'endless',
    one: variables({ PIPELINE_CODE_TIMEOUT: '0.1' }),
    other: variables({ PIPELINE_CODE_TIMEOUT: '0.2' }),
    shows: [expect.stringContaining('within 0.1 s'), expect.stringContaining('within 0.2 s')],
  },
  {
    option: 'PIPELINE_MAX_RECORD_MB',
    task: 'long',
    one: variables({ PIPELINE_MAX_RECORD_MB: '1' }),
    other: {},
    shows: [expect.stringContaining('longer than 1 MB'), { right: 1 }],
  },
]

const yaml = (lines: readonly string[], metrics: readonly string[]): string =>
  [
    ...lines,
    'doc_to_text: "{{q}}"',
    'doc_to_target: q',
    `metric_list: [${metrics.map(name => `{metric: ${name}, aggregation: mean, higher_is_better: true}`).join(', ')}]`,
    '',
  ].join('\n')

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pipeline-test-'))
  const scored = ['process_results: !function utils.process_results']
  const files: Readonly<Record<string, string>> = {
    'observer/utils.py': observer,
    'observer/task.yaml': yaml(['task: observer', 'dataset_path: ./d.jsonl', ...scored], Object.keys(nothing)),
    'slow/utils.py': 'def process_results(doc, results):\n    while True: pass\n',
    'slow/task.yaml': yaml(['task: slow', 'dataset_path: ./d.jsonl', ...scored], ['right']),
    'endless/utils.ts': 'export const process_results = () => { for (;;); }\n',
    'endless/task.yaml': yaml(['task: endless', 'dataset_path: ./d.jsonl', ...scored], ['right']),
    'packages/shared/common.py': 'WORTH = 1.0\n',
    'packages/own/utils.py':
      'from lmms_eval.tasks.shared.common import WORTH\ndef process_results(doc, results): return {"shared": WORTH}\n',
    'packages/own/task.yaml': yaml(['task: packaged', 'dataset_path: ./d.jsonl', ...scored], ['shared']),
    'two/utils.ts': 'export const process_results = (doc) => ({ right: doc.w })\n',
    'two/task.yaml': yaml(['task: two', 'dataset_path: ./d.jsonl', ...scored], ['right']),
    'two/d.jsonl': '{"q":"Q","w":1}\n{"q":"R","w":0}\n',
    'long/utils.ts': 'export const process_results = () => ({ right: 1 })\n',
    'long/task.yaml': yaml(['task: long', 'dataset_path: ./d.jsonl', ...scored], ['right']),
  }
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true })
    await writeFile(at(name), text)
  }
  for (const name of ['observer', 'slow', 'endless', 'packages/own'])
    await writeFile(at(name, 'd.jsonl'), '{"q":"Q"}\n')
  await writeFile(at('long', 'd.jsonl'), `{"q":"Q","more":"${'x'.repeat(2 ** 21)}"}\n`)
  const executable = execFileSync(python, ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim()
  await symlink(executable, at('other-python'))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

const never = new AbortController().signal
const hooks = { emit: () => undefined, drain: never, stop: never }
const folderOf = (task: Case['task']): string => (task === 'packaged' ? 'packages/own' : task)
let stores = 0

/** Returns the values of an evaluation in its own store, or why its doc has none, or why it was rejected. */
async function shown(task: Case['task'], given: Given): Promise<{ readonly what: unknown; readonly stored: object }> {
  const settings: EvalSettings = {
    store: at(`store-${stores++}`),
    env: process.env,
    includePaths: [],
    plugins: [],
    model: 'dummy',
    modelArgs: {},
    tasks: [at(folderOf(task), 'task.yaml')],
    genKwargs: {},
    retryFailed: false,
    newRun: false,
    fresh: false,
    codeKey: 'revision',
    ...(given.env === undefined && python !== 'python3' ? { python } : {}),
    ...given,
  }
  try {
    const outcome = await evaluate(settings, hooks)
    const { run, judgement } = outcome
    const aggregates = judgement?.aggregates ?? []
    let reason: string | undefined
    for await (const sample of evaluatedRun(outcome, { dir: settings.store }).samples()) reason = sample.reason
    const values = Object.fromEntries(aggregates.map(({ metric, value }) => [metric, value]))
    return { what: reason ?? values, stored: run.provenance.config }
  } catch (error) {
    if (!(error instanceof PipelineError)) throw error
    return { what: error.message, stored: {} }
  }
}

describe.skipIf(!hasPython())('two evaluations in one process (needs python3)', () => {
  test.each(cases.map(entry => [entry.option, entry] as const))(
    '%s of one does not affect the other, before, after or concurrently',
    async (_option, { task, one, other, shows, stored = {} }) => {
      const [ofOne, ofOther] = shows
      const first = await shown(task, one)
      const second = await shown(task, other)
      const beside = await Promise.all([shown(task, one), shown(task, other)])
      expect([first, second, ...beside].map(({ what }) => what)).toEqual([ofOne, ofOther, ofOne, ofOther])
      for (const [key, value] of Object.entries(stored)) {
        if (Object.keys(first.stored).length > 0) expect(first.stored).toHaveProperty(key, value)
        for (const { stored: kept } of [second, beside[1]])
          expect((kept as Readonly<Record<string, unknown>>)[key]).not.toEqual(value)
      }
    },
  )
})

/**
 * Compares functions of lmms-eval's task folders with values that lmms-eval itself computed (tests/golden/python-parity, made by scripts/compat).
 * PIPELINE_TEST_PYTHON names an interpreter that has Pillow, numpy, PyYAML, loguru, pandas, tqdm and requests.
 * PIPELINE_TEST_LMMS_EVAL names the folder DIR of: pip install --no-deps --target DIR lmms-eval==0.7.2.
 */
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PythonPool } from '../../cache/code/python/python-pool.js'
import type { CallResult, FunctionReference, PythonHook } from '../../cache/code/python/python-types.js'
import type { Json } from '../../base/values/canonical-json.js'
import { root } from '../support/cli.js'

interface Case {
  readonly task: string
  readonly folder: string
  readonly functions: Readonly<Record<string, FunctionReference>>
  readonly kwargs: Readonly<Record<string, Json>> | null
  readonly target_kwargs: Json
  readonly docs: readonly Json[]
  /** `doc_to_text`, or `process_results` and the answer. */
  readonly names: readonly string[]
  readonly expected: readonly (readonly Json[])[]
}

const golden = join(root, 'tests/golden/python-parity')
const python = process.env['PIPELINE_TEST_PYTHON'] ?? ''
const folder = join(process.env['PIPELINE_TEST_LMMS_EVAL'] ?? '', 'lmms_eval/tasks')
const tasks = python !== '' && existsSync(folder) ? folder : undefined
const cases = readFileSync(join(golden, 'cases.jsonl'), 'utf8')
  .replaceAll('TASKS', tasks ?? 'TASKS')
  .replaceAll('MEDIA', join(golden, 'media'))
  .split('\n')
  .filter(line => line !== '')
  .map(line => JSON.parse(line) as Case)

/** Converts values of workers and of the golden file to one form: lists for tuples, numbers for floats. */
function plain(value: Json): Json {
  if (Array.isArray(value)) return value.map(item => plain(item as Json))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value as Readonly<Record<string, Json>>)
  const [only] = entries
  if (entries.length === 1 && only !== undefined) {
    const [key, inner] = only
    if (key === '$float' || key === 'float') return String(Number(inner))
    if (key === '$tuple') return plain(inner)
    if (key === '$dict')
      return Object.fromEntries((inner as [string | number, Json][]).map(([name, item]) => [String(name), plain(item)]))
  }
  return Object.fromEntries(entries.map(([key, item]) => [key, plain(item)]))
}

/** A float without a fraction is tagged, and other floats are numbers, so numbers are compared as texts. */
const text = (value: Json): string =>
  JSON.stringify(plain(value), (_key, item: unknown) =>
    typeof item === 'number' && !Number.isInteger(item) ? String(item) : item,
  )

describe.skipIf(tasks === undefined)(
  "lmms-eval's functions (needs PIPELINE_TEST_PYTHON and PIPELINE_TEST_LMMS_EVAL)",
  () => {
    let pool: PythonPool | undefined
    let exchange = ''
    beforeAll(async () => {
      exchange = await mkdtemp(join(tmpdir(), 'pipeline-test-'))
      pool = new PythonPool({
        python,
        worker: join(root, 'src/python/worker/worker.py'),
        exchange,
        packages: tasks === undefined ? [] : [tasks],
        seconds: 20,
        env: process.env,
      })
    })
    afterAll(async () => {
      await pool?.close()
      await rm(exchange, { recursive: true, force: true })
    })

    test.each(cases)('$folder: $task', async ({ functions, kwargs, target_kwargs, docs, names, expected, task }) => {
      const labels = docs.map((_, index) => `${task}/${index}`)
      if (pool === undefined) throw new Error('the pool was not started')
      for (const [at, name] of names.entries()) {
        const [hook = '', ...answer] = name.split(' ')
        const ref = functions[hook]
        if (ref === undefined) throw new Error(`the case has no function ${hook}`)
        const argument = hook === 'process_results' ? [answer.join(' ')] : target_kwargs
        const called = hook === 'process_results' || (hook === 'doc_to_target' && target_kwargs !== null)
        const results: readonly (CallResult | undefined)[] = called
          ? await pool.call(
              ref,
              docs.map(doc => ({ args: [doc, argument] })),
              labels,
            )
          : (await pool.render({ hooks: { [hook]: ref }, kwargs, docs, labels })).map(row => row[hook as PythonHook])
        for (const [index, result] of results.entries()) {
          if (result === undefined || 'error' in result)
            expect.fail(`${labels[index] ?? ''} ${name}: ${JSON.stringify(result)}`)
          expect(text(result.ok), `${labels[index] ?? ''} ${name}`).toBe(text(expected[index]?.[at] ?? null))
        }
      }
    })
  },
)

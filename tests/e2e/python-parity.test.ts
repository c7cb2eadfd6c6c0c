/**
 * Evaluates tasks of lmms-eval's published package, and compares prompts, media, the values of each doc and the
 * aggregates with those of lmms-eval's own evaluator (tests/golden/python-whole, made by scripts/compat).
 * PIPELINE_TEST_PYTHON names an interpreter that has Pillow, numpy, PyYAML, loguru, pandas, tqdm and requests.
 * PIPELINE_TEST_LMMS_EVAL names the folder DIR of: pip install --no-deps --target DIR lmms-eval==0.7.2.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Json } from '../../base/values/canonical-json.js'
import { root, runCli } from '../support/cli.js'

interface Expected {
  readonly task: string
  /** The task's YAML file in the package. */
  readonly include: string
  readonly splits: readonly string[]
  /** For each doc, what each of its requests shows. */
  readonly prompts: readonly (readonly Prompt[])[]
  /** For each doc, what `process_results` returned. */
  readonly values: readonly Readonly<Record<string, Json>>[]
  /** Aggregates by `metric,filter`. */
  readonly results: Readonly<Record<string, Json>>
}

interface Prompt {
  readonly text: string
  readonly media: readonly Json[]
}

interface Sample {
  readonly task: string
  readonly doc_index: number
  readonly values: Readonly<Record<string, Json>>
  readonly requests: readonly { readonly messages: readonly { readonly content: readonly Part[] }[] }[]
}

interface Part {
  readonly type: string
  readonly text?: string
  readonly media?: string
}

interface Results {
  readonly tasks: Readonly<Record<string, Readonly<Record<string, { readonly value: number | null }>>>>
}

/** The answers of the model, and that of the judge, as scripts/compat has them. */
const words = ['A', 'yes it is', 'B. red', '3', '']
const judgement = '{"score": 3, "correct": true, "pred": "yes"}'

const golden = join(root, 'tests/golden/python-whole')
const python = process.env['PIPELINE_TEST_PYTHON'] ?? ''
const tasks = join(process.env['PIPELINE_TEST_LMMS_EVAL'] ?? '', 'lmms_eval/tasks')
const hasPackage = python !== '' && existsSync(tasks)
const cases = readdirSync(golden, { withFileTypes: true })
  .filter(entry => entry.isDirectory())
  .map(({ name }) => {
    const expected = JSON.parse(readFileSync(join(golden, name, 'expected.json'), 'utf8')) as Expected
    return { folder: name, ...expected }
  })

/** Numbers may differ in the last digits, because sums are taken in another order. In Python, `False` is 0. */
function closeTo(value: unknown, expected: unknown): unknown {
  if (typeof expected === 'number' && typeof value === 'boolean') return Number(value)
  if (typeof expected === 'number' && typeof value === 'number')
    return Math.abs(value - expected) <= 1e-9 * Math.max(1, Math.abs(expected)) ? expected : value
  if (Array.isArray(expected) && Array.isArray(value)) return value.map((item, at) => closeTo(item, expected[at]))
  if (typeof expected !== 'object' || expected === null || typeof value !== 'object' || value === null) return value
  const other = expected as Readonly<Record<string, unknown>>
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, closeTo(item, other[name])]))
}

/** A picture as scripts/compat/canonical.py describes it. */
async function picture(store: string, digest: string): Promise<Json> {
  const hex = digest.replace('sha256:', '')
  const file = sharp(join(store, 'media', hex.slice(0, 2), hex.slice(2)))
    .removeAlpha()
    .toColourspace('srgb')
  const { data, info } = await file.raw().toBuffer({ resolveWithObject: true })
  const pixels = createHash('sha256').update(data).digest('hex').slice(0, 16)
  return { image: pixels, size: [info.width, info.height], mode: 'RGB' }
}

async function shown(store: string, { messages }: Sample['requests'][number]): Promise<Prompt> {
  const parts = messages.flatMap(({ content }) => content)
  const texts = parts.flatMap(({ type, text }) => (type === 'text' ? [text ?? ''] : []))
  const media = parts
    .filter(({ type }) => type !== 'text')
    .map(async ({ type, media: digest = '' }) => (type === 'audio' ? { audio: true } : picture(store, digest)))
  return { text: texts.join('\n'), media: await Promise.all(media) }
}

describe.skipIf(!hasPackage)('tasks of lmms-eval (needs PIPELINE_TEST_PYTHON and PIPELINE_TEST_LMMS_EVAL)', () => {
  let folder = ''
  let store = ''
  let samples: readonly Sample[] = []
  let results: Results = { tasks: {} }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pipeline-test-'))
    store = join(folder, 'store')
    for (const { folder: name, task, include, splits } of cases) {
      const file = join(golden, name, 'docs.parquet')
      const files = Object.fromEntries(splits.map(split => [split, file]))
      const overlay = {
        include: join(tasks, include),
        task,
        dataset_path: 'parquet',
        dataset_name: null,
        dataset_kwargs: { data_files: files },
      }
      await mkdir(join(folder, 'tasks', name), { recursive: true })
      // JSON is YAML.
      await writeFile(join(folder, 'tasks', name, 'task.yaml'), JSON.stringify(overlay))
    }
    const env = { PIPELINE_STORE: store, HF_HOME: join(folder, 'hub'), HF_HUB_OFFLINE: '1', OPENAI_API_KEY: 'none' }
    const run = (...words: readonly string[]) => runCli(words, { cwd: folder, env })
    const names = cases.map(({ folder: name }) => `./tasks/${name}`)
    const where = ['--tasks', names.join(','), '--include-path', tasks, '--python', python]
    const model = ['--model', 'dummy', '--model-args', JSON.stringify({ mode: 'choose', words })]
    const judge = ['--judge-model', 'dummy', '--judge-args', JSON.stringify({ mode: 'fixed', text: judgement })]
    const ended = await run('eval', ...where, ...model, ...judge, '--quiet')
    expect(ended.code, ended.stderr).toBe(0)
    results = JSON.parse((await run('report', 'last', '--json')).stdout) as Results
    const lines = (await run('report', 'last', '--samples', 'all', '--limit', '-1', '--json')).stdout.split('\n')
    samples = lines.filter(line => line !== '').map(line => JSON.parse(line) as Sample)
  })

  afterAll(() => rm(folder, { recursive: true, force: true }))

  test.each(cases)('$folder: $task', async ({ task, prompts, values, results: aggregates }) => {
    const docs = samples.filter(sample => sample.task === task).sort((a, b) => a.doc_index - b.doc_index)
    const found = await Promise.all(
      docs.map(async ({ requests }) => Promise.all(requests.map(request => shown(store, request)))),
    )
    expect(found).toEqual(prompts)
    for (const [at, expected] of values.entries()) {
      const own = docs[at]?.values ?? {}
      const named = Object.entries(own).map(([name, value]) => [name.split(',')[0] ?? '', value] as const)
      for (const [name, value] of named)
        expect(closeTo(value, expected[name]), `doc ${at}: ${name}`).toEqual(expected[name])
      expect(named.length).toBeGreaterThan(0)
    }
    for (const [name, expected] of Object.entries(aggregates)) {
      const of = results.tasks[task] ?? {}
      const value = (of[name] ?? of[name.split(',')[0] ?? ''])?.value
      // lmms-eval's `bypass` gives 999, and a table of numbers is no number here.
      if (typeof expected === 'number' && expected !== 999) expect(closeTo(value, expected), name).toBe(expected)
      else expect(value ?? null, name).toBe(null)
    }
  })
})

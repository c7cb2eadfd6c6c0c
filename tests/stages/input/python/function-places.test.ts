/** Every key of a task file that accepts a function accepts a Python function. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { evaluate, type EvaluatedRun, type RunSample } from '../../../../src/index.js'
import { loadTask } from '../../../../stages/input/tasks/load-task.js'
import { groupSchema, taskSchema } from '../../../../stages/input/tasks/schema.js'
import { openRuntime } from '../../../../src/evaluation/code-runtime.js'
import { hasPython, python } from '../../../support/python-pool.js'
import { temporaryFolder } from '../../../support/store.js'

/** Names below lists are followed by `[]`, such as `metric_list[].metric`. */
function functionPlaces(schema: z.ZodType, path = ''): readonly string[] {
  const json = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      if (zodSchema._zod.def.type === 'custom') jsonSchema['isFunction'] = true
    },
  })
  return [...new Set(placesIn(json, path))]
}

function placesIn(value: unknown, path: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  if ('isFunction' in value) return [path]
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
    if (key === 'properties' && typeof inner === 'object' && inner !== null)
      return Object.entries(inner).flatMap(([name, one]: [string, unknown]) =>
        placesIn(one, path === '' ? name : `${path}.${name}`),
      )
    return key === 'items' ? placesIn(inner, `${path}[]`) : placesIn(inner, path)
  })
}

const code = `
def question(doc): return "Q:" + doc["q"]
def example_question(doc): return "E:" + doc["q"]
def target(doc): return "T:" + doc["a"]
def choices(doc): return ["T:" + doc["a"], "other"]
def description(doc): return "D:" + doc["q"] + ". "
def prefix(doc): return "P:" + doc["q"]
def visual(doc): return []
def messages(doc): return [{"role": "user", "content": "M:" + doc["q"]}]
def keep(docs): return docs.select([1])
def samples(): return [{"q": "own", "a": "sample"}]
def score(doc, results): return {"points": 7}
def metric(references, predictions): return 5
def total(values): return 11
def loud(resps, docs): return [[one.upper() + "!" for one in each] for each in resps]
def group_total(values, sizes, weight_by_size=True): return 13
`

const common: Readonly<Record<string, string>> = {
  task: 't',
  dataset_path: './data',
  test_split: 'test',
  fewshot_split: 'train',
  doc_to_text: 'q',
  doc_to_target: 'a',
}

const shot = (keys: string): Readonly<Record<string, string>> => ({
  num_fewshot: '1',
  fewshot_config: `{sampler: first_n, ${keys}}`,
})

/** The keys added to the task, and the expected first prompt, first target or number. */
interface Row {
  readonly keys: Readonly<Record<string, string>>
  readonly prompt?: string
  readonly target?: string
  readonly number?: readonly [metric: string, value: number]
  readonly parity?: 'lmms-eval'
}

const rows: Readonly<Record<string, Row>> = {
  description: { keys: { description: '!function utils.description' }, prompt: 'D:test0. test0' },
  doc_to_text: { keys: { doc_to_text: '!function utils.question' }, prompt: 'Q:test0' },
  doc_to_visual: { keys: { doc_to_visual: '!function utils.visual' }, prompt: 'test0' },
  doc_to_image: { keys: { doc_to_image: '!function utils.visual' }, prompt: 'test0' },
  doc_to_audio: { keys: { doc_to_audio: '!function utils.visual' }, prompt: 'test0' },
  doc_to_messages: { keys: { doc_to_messages: '!function utils.messages' }, prompt: 'M:test0' },
  doc_to_target: { keys: { doc_to_target: '!function utils.target' }, target: 'T:answer0' },
  doc_to_choice: {
    keys: { doc_to_choice: '!function utils.choices', doc_to_target: '0' },
    target: 'T:answer0',
  },
  gen_prefix: { keys: { gen_prefix: '!function utils.prefix' }, prompt: 'test0 P:test0' },
  process_docs: { keys: { process_docs: '!function utils.keep' }, prompt: 'test1' },
  'fewshot_config.samples': { keys: shot('samples: !function utils.samples'), prompt: 'own sample\n\ntest0' },
  'fewshot_config.process_docs': {
    keys: shot('split: train, process_docs: !function utils.keep'),
    prompt: 'train1 answer1\n\ntest0',
  },
  'fewshot_config.doc_to_text': {
    keys: shot('doc_to_text: !function utils.example_question'),
    prompt: 'E:train0 answer0\n\ntest0',
  },
  'fewshot_config.doc_to_target': {
    keys: shot('doc_to_target: !function utils.target'),
    prompt: 'train0 T:answer0\n\ntest0',
  },
  'fewshot_config.doc_to_choice': {
    keys: shot('doc_to_choice: !function utils.choices, doc_to_target: 1'),
    prompt: 'train0 other\n\ntest0',
  },
  'fewshot_config.gen_prefix': {
    keys: shot('gen_prefix: !function utils.prefix'),
    prompt: 'train0 P:train0 answer0\n\ntest0',
  },
  ...Object.fromEntries(
    (
      [
        ['doc_to_text', 'question', 'Q:test0'],
        ['doc_to_visual', 'visual', 'test0'],
        ['doc_to_messages', 'messages', 'M:test0'],
        ['process_docs', 'keep', 'test1'],
      ] as const
    ).map(([key, name, prompt]) => [
      `parity.lmms-eval.${key}`,
      { keys: { parity: `{lmms-eval: {${key}: !function utils.${name}}}` }, prompt, parity: 'lmms-eval' as const },
    ]),
  ),
  process_results: {
    keys: { process_results: '!function utils.score', metric_list: '[{metric: points}]' },
    number: ['points', 7],
  },
  'metric_list[].metric': { keys: { metric_list: '[{metric: !function utils.metric}]' }, number: ['metric', 5] },
  'metric_list[].aggregation': {
    keys: { metric_list: '[{metric: exact_match, aggregation: !function utils.total}]' },
    number: ['exact_match', 11],
  },
  'filter_list[].filter[].function': {
    keys: {
      doc_to_target: '"{{ q | upper }}!"',
      filter_list: '[{name: loud, filter: [{function: !function utils.loud}]}]',
    },
    number: ['exact_match,loud', 1],
  },
  'filter_list[].filter[].filter_fn': {
    keys: {
      doc_to_target: '"{{ q | upper }}!"',
      filter_list: '[{name: loud, filter: [{function: custom, filter_fn: !function utils.loud}]}]',
    },
    number: ['exact_match,loud', 1],
  },
}

/** Keys below which arguments are checked by their metric or filter. */
const loose = ['metric_list[].aggregation', 'filter_list[].filter[].filter_fn']
/** Groups have their own test below; functions that create docs are in tests/src/evaluation/python-*.test.ts. */
const elsewhere = ['class', 'custom_dataset', 'aggregate_metric_list[].aggregation']
/** A key that is ignored. */
const ignored = ['doc_to_decontamination_query']

async function taskFolder(): Promise<{ readonly folder: string; readonly write: (yaml: string) => Promise<string> }> {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'data'))
  const docs = (name: string) => [0, 1].map(at => `${JSON.stringify({ q: `${name}${at}`, a: `answer${at}` })}\n`)
  await writeFile(join(folder, 'data/test.jsonl'), docs('test').join(''))
  await writeFile(join(folder, 'data/train.jsonl'), docs('train').join(''))
  await writeFile(join(folder, 'utils.py'), code)
  return {
    folder,
    async write(yaml) {
      await writeFile(join(folder, 't.yaml'), yaml)
      return join(folder, 't.yaml')
    },
  }
}

async function samplesOf(run: Pick<EvaluatedRun, 'samples'>): Promise<readonly RunSample[]> {
  const samples: RunSample[] = []
  for await (const sample of run.samples()) samples.push(sample)
  return samples
}

const yamlOf = (keys: Readonly<Record<string, string>>): string =>
  Object.entries({ ...common, metric_list: '[{metric: exact_match}]', ...keys })
    .map(([key, value]) => `${key}: ${value}\n`)
    .join('')

test('this test covers each key of the schema that accepts a function', () => {
  const places = [...functionPlaces(taskSchema), ...functionPlaces(groupSchema)]
  expect([...places, ...loose].sort()).toEqual([...Object.keys(rows), ...elsewhere, ...ignored].sort())
})

describe.skipIf(!hasPython('json'))('a function in Python (needs python3)', () => {
  test.each(Object.entries(rows))('is called at %s', async (_, { keys, prompt, target, number, parity }) => {
    const { folder, write } = await taskFolder()
    const task = await write(yamlOf(keys))
    const run = await evaluate({
      store: join(folder, 'store'),
      model: 'dummy',
      tasks: [task],
      python,
      ...(parity && { parity }),
    })
    expect(run.failures).toEqual([])
    const [first] = await samplesOf(run)
    if (prompt !== undefined)
      expect(
        first?.messages
          .flatMap(({ content }) => content.flatMap(part => ('text' in part ? [part.text] : [])))
          .join(' '),
      ).toBe(prompt)
    if (target !== undefined) expect(first?.target).toBe(target)
    if (number !== undefined) expect(run.of(task).metrics[number[0]]?.value).toBe(number[1])
  })

  test('is called at aggregate_metric_list[].aggregation of a group', async () => {
    const { folder, write } = await taskFolder()
    await write(yamlOf({}))
    const group = join(folder, 'g.yaml')
    const rule = '{metric: exact_match, aggregation: !function utils.group_total}'
    await writeFile(group, `group: g\ntask: [t]\naggregate_metric_list: [${rule}]\n`)
    const options = { model: 'dummy', tasks: ['g'], includePaths: [folder], python }
    const run = await evaluate({ store: join(folder, 'store'), ...options })
    expect(run.judgement?.aggregates?.find(({ task: name }) => name === 'g')?.value).toBe(13)
  })

  test.each([
    ['generation_kwargs', '{temperature: !function utils.target}'],
    ['lmms_eval_specific_kwargs', '{default: {of: [!function utils.target]}}'],
    ['dataset_kwargs', '{features: !function utils.target}'],
    ['metadata', '{by: !function utils.target}'],
    ['reasoning_tags', '!function utils.target'],
    ['fewshot_config', '{samples: [{q: !function utils.target}]}'],
    ['metric_list', '[{metric: exact_match, ignore_case: !function utils.target}]'],
    ['filter_list', '[{name: x, filter: [{function: regex, regex_pattern: !function utils.target}]}]'],
    ['breakdown', '!function utils.target'],
    ['num_fewshot', '!function utils.target'],
  ])('is rejected with its line at %s, where nothing would call it', async (key, value) => {
    const { folder, write } = await taskFolder()
    const others = Object.entries({ ...common, metric_list: '[{metric: exact_match}]' }).filter(
      ([name]) => name !== key,
    )
    const task = await write([[key, value], ...others].map(([name, one]) => `${name}: ${one}\n`).join(''))
    const runtime = openRuntime({ env: process.env, includePaths: [], python })
    onTestFinished(() => runtime.close())
    await expect(loadTask(task, { cacheDir: join(folder, 'cache'), runtime })).rejects.toThrow(
      new RegExp(`t\\.yaml:1:\\d+ {2}${key}.*given !function utils\\.target`),
    )
  })
})

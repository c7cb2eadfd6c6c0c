/** A run with a stop condition ends at each limit of its command: it awaits no score that the limit keeps back. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { evaluate, resume, type EvaluateOptions } from '../../../../src/index.js'
import { temporaryFolder } from '../../../support/store.js'

const docs = 120
type Options = Partial<EvaluateOptions> & { readonly store?: string }

const rules = { 'a half-width': 'half-width < 0.0001', 'a comparison': 'decided vs base' }

const limits: Readonly<Record<string, Options>> = {
  'requests before the first look': { maxRequests: 20 },
  'requests at a look': { maxRequests: 50 },
  'requests between two looks': { maxRequests: 55 },
  'no request': { maxRequests: 0 },
  tokens: { maxTokensTotal: 500 },
  'a cost': { maxCost: 0.5, prices: 'prices.yaml' },
  time: { maxTime: 1, modelArgs: { latency_ms: 50 } },
  'failed requests': { failFast: 3, modelArgs: { fail: ['invalid_request:0.2'], max_retries: 0 } },
}

const cells = Object.entries(rules).flatMap(([rule, stopWhen]) =>
  [1, 128].flatMap(concurrency =>
    Object.entries(limits).map(([limit, options]) => ({ rule, limit, stopWhen, options: { concurrency, ...options } })),
  ),
)

test.each(cells)('ends at a limit of $limit with $rule and $options.concurrency in flight', async cell => {
  const { run } = await prepareScene()
  const { stopped, counts } = await run(['exact'], { stopWhen: cell.stopWhen, ...cell.options })
  expect(stopped?.why).toBe(cell.limit === 'failed requests' ? 'failures' : 'budget')
  expect(counts.answered).toBeLessThan(docs)
  expect(counts.docs).toBeLessThan(docs)
})

test('ends at a limit that several tasks share, and goes on to the same end as without a limit', async () => {
  const { run } = await prepareScene()
  const stopWhen = 'half-width < 0.1'
  const tasks = ['exact', 'other']
  const whole = await run(tasks, { stopWhen, store: 'whole' })
  expect(whole.stopped).toBeUndefined()
  expect((await run(tasks, { stopWhen, maxRequests: 70 })).stopped?.limit).toBe('requests')
  expect((await run(tasks, { stopWhen, maxRequests: 30 })).stopped?.limit).toBe('requests')
  const resumed = await run(tasks, { stopWhen })
  expect(resumed.counts).toMatchObject({ docs: whole.counts.docs, answered: whole.counts.answered, pending: 0 })
  expect(resumed.judgement?.aggregates).toEqual(whole.judgement?.aggregates)
})

test.each([
  ['requests of model and judge', { maxRequests: 90 }],
  ['fewer requests than the first look has docs', { maxRequests: 30 }],
  ['tokens of model and judge', { maxTokensTotal: 1_500 }],
])('ends at a limit of %s', async (_, limit) => {
  const { run } = await prepareScene()
  const judge = { judgeModel: 'dummy', judgeArgs: { mode: 'fixed', text: 'VERDICT: CORRECT' } }
  const { stopped, counts } = await run(['judged'], { stopWhen: rules['a half-width'], ...judge, ...limit })
  expect(stopped?.why).toBe('budget')
  expect(counts.answered).toBeLessThan(docs)
})

test('sends only the chosen docs of a run, though the scores of the others would decide', async () => {
  const { run, store } = await prepareScene()
  const first = await run(['exact'], { stopWhen: rules['a half-width'], maxRequests: 30 })
  const { counts } = await resume(first.run.name, { store, docs: ['*1'] })
  expect(counts.answered).toBeGreaterThan(30)
  expect(counts.answered).toBeLessThan(50)
})

async function prepareScene() {
  const folder = await temporaryFolder()
  const write = (name: string, lines: readonly string[]) => writeFile(join(folder, name), `${lines.join('\n')}\n`)
  await write(
    'docs.jsonl',
    Array.from({ length: docs }, (_, i) => JSON.stringify({ q: `question ${i}`, a: i % 9 === 0 ? 'no' : 'yes' })),
  )
  await write('prices.yaml', ['dummy: {"*": {input: 1000, output: 1000}}'])
  const metrics = { exact: 'exact_match', other: 'exact_match', judged: 'model_graded, kind: binary' }
  for (const [task, metric] of Object.entries(metrics)) {
    const prompt = ['doc_to_text: q', 'doc_to_target: a', 'generation_kwargs: {max_gen_toks: 4}']
    await write(`${task}.yaml`, [
      `task: ${task}`,
      'dataset_path: ./docs.jsonl',
      ...prompt,
      `metric_list: [{metric: ${metric}}]`,
    ])
  }
  return {
    store: join(folder, 'store'),
    run: async (tasks: readonly string[], { store = 'store', modelArgs, prices, ...more }: Options) => {
      const common = {
        store: join(folder, store),
        model: 'dummy',
        modelArgs: { mode: 'fixed', text: 'yes' },
        tasks: tasks.map(name => join(folder, `${name}.yaml`)),
        ...(prices !== undefined && { prices: join(folder, prices) }),
      }
      // Another model with the same answers decides nothing.
      if (more.stopWhen === rules['a comparison'])
        await evaluate({ ...common, modelArgs: { mode: 'choose', words: ['yes'] }, name: 'base' })
      return evaluate({ ...common, ...more, modelArgs: { ...common.modelArgs, ...modelArgs } })
    },
  }
}

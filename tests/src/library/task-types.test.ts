/* eslint-disable @typescript-eslint/no-unsafe-return, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-assignment --
   What must not compile has no type. */
import { expect, test } from 'vitest'
import { defineTask, jsonl, rows, z, type EvaluatedRun, type MetricValue, type Task } from '../../../src/index.js'

/** Only compiled: whatever compiles where it should not fails the type check of the tests. */
export function compiledOnly(run: EvaluatedRun<readonly [Task<{ q: string }, string, 'exact'>, 'mmmu_val']>): void {
  const schema = z.object({ question: z.string(), answer: z.string(), photo: z.instanceof(Uint8Array) })
  const dataset = jsonl('./docs.jsonl', { schema })
  const anything = {} as MetricValue<unknown, unknown>
  const ofNumbers = {} as MetricValue<unknown, number>

  const task = defineTask({
    name: 't',
    dataset,
    prompt: doc => doc.question.toUpperCase(),
    target: doc => doc.answer,
    metrics: {
      anything,
      near: ({ text, target, doc }) => text.length - target.length - doc.question.length,
      // @ts-expect-error: media are not kept for scoring
      media: ({ doc }) => doc.photo.length,
    },
  })
  const typed: Task<{ question: string; answer: string; photo: Uint8Array }, string, 'anything' | 'near' | 'media'> =
    task

  defineTask({
    name: 't',
    dataset,
    // @ts-expect-error: no such field
    prompt: doc => doc.questoin,
    // @ts-expect-error: no such field
    target: doc => doc.anwser,
    metrics: {},
  })

  defineTask({
    name: 't',
    dataset,
    prompt: doc => doc.question,
    // @ts-expect-error: the metric compares numbers, and the target is a text
    target: doc => doc.answer,
    metrics: { ofNumbers },
  })

  const options = rows([{ a: 1, options: ['x'] }])
  defineTask({
    name: 't',
    dataset: options,
    prompt: doc => doc.a.toFixed(),
    choices: doc => doc.options,
    // @ts-expect-error: a metric gives a number, true, false or null
    metrics: { text: () => 'right' },
  })

  defineTask({
    name: 't',
    dataset: options,
    prompt: doc => doc.a.toFixed(),
    metrics: { any: () => 1 },
    // @ts-expect-error: no such field
    cluster: 'b',
  })

  // @ts-expect-error: a task needs metrics
  defineTask({ name: 't', dataset, prompt: doc => doc.question })

  const [first, second] = [{} as Task<{ q: string }, string, 'exact'>, 'mmmu_val'] as const
  const value: number | null = run.of(first).metrics.exact.value
  const other: number | null | undefined = run.of(second).metrics['exact_match']?.value
  // @ts-expect-error: the task has no such metric
  const nope = run.of(first).metrics.nope
  // @ts-expect-error: the run has no such task
  run.of('mmmu_vla')
  expect([typed, value, other, nope]).toHaveLength(4)
}

test('the type check compiles the types above', () => {
  expect(compiledOnly).toBeTypeOf('function')
})

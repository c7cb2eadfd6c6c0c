import { goldenRows } from './golden.js'
import { withMedia } from './golden-media.js'
import type { TaskRow } from './golden-task.js'

type Doc = Readonly<Record<string, unknown>>

/** A benchmark of `tests/golden/tasks/`: its docs, one answer for each, and the expected numbers. */
export interface GoldenBenchmark {
  readonly task: string
  /** The docs with their media. The bytes of each medium end in `[task/index]`, so that a request tells its doc. */
  readonly docs: readonly Doc[]
  readonly answers: readonly string[]
  /** Expected numbers by metric, or by `metric,filter`. If the reference is wrong, they are the right ones. */
  readonly expected: Readonly<Record<string, number>>
}

/** Returns the docs of a task, with the answer of this number to each. */
export function goldenBenchmark(file: string, task: string, answer: number): GoldenBenchmark {
  const rows = goldenRows<TaskRow>(`tasks/${file}.jsonl.gz`).filter(row => row.task === task)
  const prompts = rows.filter(({ kind, id }) => kind === 'prompt' && id.includes('/default/'))
  const scores = rows.filter(({ kind, id }) => kind === 'score' && id.endsWith(`/${answer}`))
  const media = Object.entries(prompts[0]?.doc ?? {}).filter(([, value]) => JSON.stringify(value).startsWith('{"$'))
  const aggregates = rows.filter(
    ({ kind, score_rows }) => kind === 'aggregate' && score_rows.length > 0 && score_rows[0] === scores[0]?.id,
  )
  return {
    task,
    docs: scores.map(({ doc }, index) => ({
      ...doc,
      ...Object.fromEntries(media.map(([name, value]) => [name, marked(withMedia(value), `[${task}/${index}]`)])),
    })),
    answers: scores.map(({ responses }) => String(responses[0])),
    expected: Object.fromEntries(
      aggregates.flatMap(({ filter, expected, right }) =>
        Object.entries(expected).flatMap(([metric, number]) => {
          const value = right?.[metric] ?? (number as { readonly value: unknown }).value
          return typeof value === 'number' ? [[filter === 'none' ? metric : `${metric},${filter}`, value]] : []
        }),
      ),
    ),
  }
}

const marked = (medium: unknown, mark: string): unknown => {
  const { bytes, path } = medium as { readonly bytes: Uint8Array; readonly path: null }
  return { bytes: Buffer.concat([bytes, Buffer.from(mark)]), path }
}

import { goldenRows } from './golden.js'
import { withMedia } from './golden-media.js'
import type { TaskRow } from './golden-task.js'

type Doc = Readonly<Record<string, unknown>>

/** One benchmark of `tests/golden/tasks/`, as its dataset would hold it, with one answer for each doc and what they come to. */
export interface GoldenBenchmark {
  readonly task: string
  /** With their media: the bytes of each end in `[task/index]`, so that a request tells which doc it asks. */
  readonly docs: readonly Doc[]
  readonly answers: readonly string[]
  /** By metric, or `metric,filter`; where the reference is wrong, what is right. */
  readonly expected: Readonly<Record<string, number>>
}

/** The docs of a task, and the answers of that number to each. */
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

import { openExamples } from '../../stages/input/examples.js'
import { makeRenderer } from '../../stages/input/render/renderer.js'
import type { Doc } from '../../stages/input/tasks/doc.js'
import type { Task } from '../../stages/input/tasks/task.js'
import { withMedia } from './golden-media.js'

/** A row of which the last part of the name says which of the docs it is about, or the part before that. */
interface DocRow {
  readonly id: string
  readonly kind: string
  readonly doc: Doc
  readonly kwargs?: { readonly model_name: string | null }
}

/**
 * The text of a row's prompt after so many examples, of which all splits have the same. The reference takes them from a split even where
 * the task brings its own, or words them in another way.
 */
export async function promptAfter(
  shots: number,
  { row, rows, task: whole }: { readonly row: DocRow; readonly rows: readonly DocRow[]; readonly task: Task },
): Promise<string> {
  const { fewshot_config: config, ...others } = whole.config
  const task = { ...whole, config: { ...others, ...(config && { fewshot_config: { sampler: config.sampler } }) } }
  const model = row.kwargs?.model_name ?? undefined
  const prompting = { shots, form: 'simple' as const, ...(model === undefined ? {} : { models: [model] }) }
  const docs = docsOf(rows)
  const open = shots === 0 ? undefined : await openExamples(task, prompting, () => Promise.resolve(streamed(docs)))
  const choose = open?.()
  const examples = docs.slice(0, indexOf(row) + 1).map(doc => choose?.(doc))
  const doc = withMedia(row.doc) as Doc
  const rendered = makeRenderer(task, Object.keys(doc), prompting).render(doc, examples.at(-1))
  if (rendered.type === 'failed') throw new Error(rendered.reason)
  const parts = rendered.messages.flatMap(({ content }) => content)
  return parts.map(part => (part.type === 'text' ? part.text : '')).join('')
}

/** The docs in order, each as its first row has it. */
function docsOf(rows: readonly DocRow[]): readonly Doc[] {
  const docs: Doc[] = []
  for (const row of rows)
    if (row.kind === 'prompt' || row.kind === 'score') docs[indexOf(row)] ??= withMedia(row.doc) as Doc
  return docs
}

const indexOf = ({ id, kind }: DocRow): number => Number(id.split('/').at(kind === 'score' ? -2 : -1))

async function* streamed(docs: readonly Doc[]): AsyncGenerator<Doc> {
  await Promise.resolve()
  yield* docs
}

import { openExamples } from '../../stages/input/examples.js'
import { makeRenderer } from '../../stages/input/render/renderer.js'
import type { Doc } from '../../stages/input/tasks/doc.js'
import type { Task } from '../../stages/input/tasks/task.js'
import { withMedia } from './golden-media.js'

/** A row whose name ends with the number of its doc, or has it in the part before. */
interface DocRow {
  readonly id: string
  readonly kind: string
  readonly doc: Doc
  readonly kwargs?: { readonly model_name: string | null }
}

/**
 * Returns the text of a row's prompt after a number of examples, for which all splits have the same docs. The reference takes examples from a split
 * even if the task brings its own or words them differently.
 */
export async function promptAfter(
  numFewshot: number,
  { row, rows, task: whole }: { readonly row: DocRow; readonly rows: readonly DocRow[]; readonly task: Task },
): Promise<string> {
  const { fewshot_config: config, ...others } = whole.config
  const task = { ...whole, config: { ...others, ...(config && { fewshot_config: { sampler: config.sampler } }) } }
  const model = row.kwargs?.model_name ?? undefined
  const prompting = { numFewshot, form: 'simple' as const, ...(model === undefined ? {} : { models: [model] }) }
  const docs = docsOf(rows)
  const open = numFewshot === 0 ? undefined : await openExamples(task, prompting, () => Promise.resolve(streamed(docs)))
  const choose = open?.()
  const examples = docs.slice(0, indexOf(row) + 1).map(doc => choose?.(doc))
  const doc = withMedia(row.doc) as Doc
  const rendered = makeRenderer(task, Object.keys(doc), prompting).render(doc, examples.at(-1))
  if (rendered.type === 'failed') throw new Error(rendered.reason)
  const parts = rendered.messages.flatMap(({ content }) => content)
  return parts.map(part => (part.type === 'text' ? part.text : '')).join('')
}

/** Returns the docs in order, each from its first row. */
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

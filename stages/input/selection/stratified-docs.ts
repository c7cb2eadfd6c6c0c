/** Draws docs so that each value of a field has its share of them. */
import { PipelineError } from '../../../base/errors/errors.js'
import { option } from '../../../base/errors/option-words.js'
import { didYouMean } from '../../../base/text/suggest.js'
import type { PreparedTask } from '../prepare-task.js'
import { rankDocs } from './rank-docs.js'

interface Strata {
  /** Indices of docs by the value of the field. Docs without it have the value `undefined`. */
  readonly byValue: ReadonlyMap<string | undefined, number[]>
  readonly docs: number
}

/**
 * Draws docs stratified by a field of the row. Each value keeps its share of the docs, with at least one doc if the limit allows it. Within a value,
 * the seed decides.
 *
 * @param limit number of docs; below 1, a share of all
 * @returns indices in ascending order
 * @throws PipelineError (usage) where no doc has the field
 */
export async function drawStratified(
  prepared: Pick<PreparedTask, 'docs'>,
  {
    field,
    limit,
    seed,
    task,
  }: { readonly field: string; readonly limit: number; readonly seed: number; readonly task: string },
): Promise<readonly number[]> {
  const { byValue, docs } = await groupDocs(prepared, field, task)
  const wanted = Math.min(docs, limit < 1 ? Math.ceil(limit * docs) : limit)
  const groups = [...byValue.values()]
  const numbers = shareOut(
    groups.map(({ length }) => length),
    wanted,
  )
  return groups.flatMap((indices, at) => rankDocs(indices, seed).slice(0, numbers[at])).sort((a, b) => a - b)
}

async function groupDocs({ docs }: Pick<PreparedTask, 'docs'>, field: string, task: string): Promise<Strata> {
  const byValue = new Map<string | undefined, number[]>()
  const fields = new Set<string>()
  let index = 0
  for await (const doc of docs()) {
    for (const name of Object.keys(doc)) fields.add(name)
    const value: unknown = doc[field]
    const text =
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? `${value}` : undefined
    const indices = byValue.get(text)
    if (indices === undefined) byValue.set(text, [index])
    else indices.push(index)
    index++
  }
  if ([...byValue.keys()].some(value => value !== undefined)) return { byValue, docs: index }
  throw new PipelineError('usage', [
    `${option('limitBy', field)}: no doc of task ${task} has a text, number or boolean in this field.${didYouMean(field, fields)}`,
    `  fields: ${[...fields].join(', ')}`,
  ])
}

/** Divides a number among groups by their sizes, by largest remainder. Each group gets at least 1 if there are enough. */
function shareOut(sizes: readonly number[], wanted: number): readonly number[] {
  const total = sizes.reduce((sum, size) => sum + size, 0)
  const exact = sizes.map(size => (size * wanted) / total)
  const numbers = exact.map(Math.floor)
  const byRemainder = [...sizes.keys()].sort(
    (a, b) => (exact[b] ?? 0) - (numbers[b] ?? 0) - ((exact[a] ?? 0) - (numbers[a] ?? 0)) || a - b,
  )
  let rest = wanted - numbers.reduce((sum, number) => sum + number, 0)
  for (const at of byRemainder) {
    if (rest-- <= 0) break
    numbers[at] = (numbers[at] ?? 0) + 1
  }
  if (wanted < sizes.length) return numbers
  for (const at of numbers.keys()) {
    if (numbers[at] !== 0) continue
    const largest = numbers.indexOf(Math.max(...numbers))
    numbers[largest] = (numbers[largest] ?? 0) - 1
    numbers[at] = 1
  }
  return numbers
}

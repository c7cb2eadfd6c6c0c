/** The lists of a report's file: filter, order and search over its rows, in the browser. */
import { isFound, orderOf, type ComparableRow } from '../../views/sample-filter.js'
import type { ReportedRun, SampleFilter, SampleRow, SampleView } from '../../views/page-data/index.js'

/** Docs with equal ids are distinguished by their order, as a comparison does. */
function namesOf(rows: readonly SampleRow[]): readonly string[] {
  const seen = new Map<string, number>()
  return rows.map(({ taskName, id }) => {
    const name = `${taskName}\u0000${id}`
    const before = seen.get(name) ?? 0
    seen.set(name, before + 1)
    return `${name}\u0000${before}`
  })
}

/** Makes the rows of a run ready for filters. @param texts the whole texts of the samples, if a search needs them */
export function comparableRows(
  run: ReportedRun,
  { against, texts }: { readonly against: ReportedRun | undefined; readonly texts: readonly string[] | undefined },
): readonly ComparableRow[] {
  const lower = new Set(
    run.view.tasks.filter(
      task => run.view.scores.find(score => score.task === task && score.of === undefined)?.higherIsBetter === false,
    ),
  )
  const others =
    against === undefined
      ? undefined
      : new Map(namesOf(against.rows).map((name, place) => [name, against.rows[place]?.value ?? null]))
  const names = others === undefined ? [] : namesOf(run.rows)
  return run.rows.map((row, place) => ({
    row: others === undefined ? row : { ...row, otherValue: others.get(names[place] ?? '') ?? null },
    groups: run.labels[place] ?? {},
    lowerIsBetter: lower.has(row.taskName),
    text: texts?.[place] ?? `${row.id} ${row.target} ${row.prompt} ${row.answer}`,
  }))
}

/** The rows that a filter finds, in its order. */
export function filteredRows(rows: readonly ComparableRow[], filter: SampleFilter): readonly SampleRow[] {
  const found = rows.filter(row => isFound(row, filter))
  const order = orderOf(filter)
  return (order === undefined ? found : found.sort(order)).map(({ row }) => row)
}

/** What a search reads of a sample: its id, its target, the texts of its prompts and its answers. */
export function searchText({ id, target, items }: SampleView): string {
  const said = items.flatMap(({ messages, answer }) => [
    ...messages.flatMap(({ parts }) => parts.flatMap(part => (part.type === 'text' ? [part.text] : []))),
    answer?.text ?? '',
  ])
  return `${id} ${typeof target === 'string' ? target : JSON.stringify(target)} ${said.join(' ')}`
}

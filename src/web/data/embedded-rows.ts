/** The lists of a report's file: filter, order and search over its rows, in the browser. */
import { startAtMatch } from '../../../base/text/search-spans.js'
import { docNames } from '../../reading/samples/doc-names.js'
import { makeHistogram, measures, type Histogram } from '../../reading/samples/number-ranges.js'
import { isFound, chooseOrder, readMeasure, type ComparableRow } from '../../present/page/sample-filter.js'
import type { ReportedRun, SampleFilter, SampleRow, SampleView } from '../../present/page/data/index.js'

/** Lists the names by which docs of two runs are paired. */
function listPairNames(rows: readonly SampleRow[]): readonly string[] {
  const name = docNames()
  return rows.map(({ taskName, id, metric }) => `${name(taskName, id)}\u0000${metric}`)
}

/** Makes the rows of a run ready for filters. @param texts the whole texts of the samples, if a search needs them */
export function comparableRows(
  run: ReportedRun,
  { against, texts }: { readonly against: ReportedRun | undefined; readonly texts: readonly string[] | undefined },
): readonly ComparableRow[] {
  const others =
    against === undefined
      ? undefined
      : new Map(listPairNames(against.rows).map((name, index) => [name, against.rows[index]?.value ?? null]))
  const names = others === undefined ? [] : listPairNames(run.rows)
  return run.rows.map((row, index) => ({
    row: others === undefined ? row : { ...row, otherValue: others.get(names[index] ?? '') ?? null },
    groups: run.labels[index] ?? {},
    text: texts?.[index] ?? `${row.id} ${row.target} ${row.prompt} ${row.answer}`,
  }))
}

/** The rows that a filter finds, in its order. */
export function filteredRows(rows: readonly ComparableRow[], filter: SampleFilter): readonly SampleRow[] {
  const matchingRows = rows.filter(row => isFound(row, filter))
  const order = chooseOrder(filter)
  return (order === undefined ? matchingRows : matchingRows.sort(order)).map(({ row }) => row)
}

/** Counts rows by each number that one of them has. */
export const countMeasures = (rows: readonly SampleRow[]): readonly Histogram[] =>
  measures
    .map(measure =>
      makeHistogram(
        measure,
        Float64Array.from(rows, row => readMeasure[measure]({ row }) ?? NaN),
      ),
    )
    .filter(({ bars }) => bars.length > 0)

/** Lets the texts of a row begin near the first match of a search, which may be far behind their beginnings. */
export function startRowAtMatch(row: SampleRow, { target, items }: SampleView, search: string): SampleRow {
  const [first] = items
  const question = first?.messages.findLast(({ role }) => role === 'user') ?? first?.messages.at(-1)
  const prompt = (question?.parts ?? []).flatMap(part => (part.type === 'text' ? [part.text] : [])).join(' ')
  const [shownPrompt, shownAnswer, shownTarget] = [
    prompt,
    first?.answer?.text ?? '',
    typeof target === 'string' ? target : JSON.stringify(target),
  ].map(text => startAtMatch(text, search))
  // Only texts that begin elsewhere are replaced: the row may show something else than the answer's text, such as a chosen option.
  const replaces = (text: string | undefined): text is string => text?.startsWith('…') === true
  return {
    ...row,
    ...(replaces(shownPrompt) && { prompt: shownPrompt }),
    ...(replaces(shownAnswer) && { answer: shownAnswer }),
    ...(replaces(shownTarget) && { target: shownTarget }),
  }
}

/** Returns the text of a sample that a search reads: its id, its target, the texts of its prompts and its answers. */
export function searchText({ id, target, items }: SampleView): string {
  const said = items.flatMap(({ messages, answer }) => [
    ...messages.flatMap(({ parts }) => parts.flatMap(part => (part.type === 'text' ? [part.text] : []))),
    answer?.text ?? '',
  ])
  return `${id} ${typeof target === 'string' ? target : JSON.stringify(target)} ${said.join(' ')}`
}

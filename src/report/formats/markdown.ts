import { visibleText } from '../../../base/text/visible-text.js'
import type { Aggregate } from '../../../cache/records.js'
import { fixed, percent, range } from '../layout/numbers.js'
import { oneLine, plain } from '../layout/paint.js'
import { metricLabel, nameOf, resultNotes, resultSections, shownNames } from '../results/result-table.js'
import { modelLabel } from '../results/run-header.js'
import { failedDocs } from '../samples/failed-docs.js'
import { comparedRows } from './compared-runs.js'
import { reportedName, type ScoredRun } from './reported-run.js'

/** The results as Markdown tables (GitHub's): those of the terminal for one run, a column for each of several runs. */
export async function* markdownReport(runs: readonly ScoredRun[]): AsyncGenerator<string> {
  const [only] = runs
  for (const reported of runs)
    yield `${runs.length > 1 ? '- ' : ''}Run **${escaped(reportedName(reported))}** of ${escaped(modelLabel(reported.run))}\n`
  yield* runs.length === 1 && only !== undefined ? oneRun(only) : severalRuns(runs)
}

function* oneRun({ run, judgement, failures }: ScoredRun): Generator<string> {
  for (const { columns, rows } of resultSections(judgement.aggregates, shownNames(run)))
    yield markdownTable(
      columns.map(({ title, align }) => ({ title, isRight: align === 'right' })),
      rows.map(row => row.map(escaped)),
    )
  const notes = resultNotes(judgement.aggregates, failedDocs(failures), plain)
  yield `\n${notes.map(note => `- ${startingText(escaped(note))}\n`).join('')}`
}

async function* severalRuns(runs: readonly ScoredRun[]): AsyncGenerator<string> {
  const names = runs.flatMap(({ run }) => shownNames(run))
  const rows = await comparedRows(runs)
  yield markdownTable(
    [
      { title: 'task' },
      { title: 'metric' },
      ...runs.map(reported => ({ title: escaped(reportedName(reported)), isRight: true })),
    ],
    rows.map(({ first, results, best }) => [
      escaped(nameOf(first, names)),
      escaped(metricLabel(first)),
      ...results.map((result, index) => cell(result, index === best)),
    ]),
  )
  yield '\n95 % intervals in parentheses. A bold score is better than that of each other run by the paired comparison.\n'
}

/** `**0.905** (0.885 – 0.922)`, with the coverage if docs are missing. */
function cell(result: Aggregate | undefined, isBest: boolean): string {
  if (result === undefined) return '–'
  const score = isBest ? `**${fixed(result.value)}**` : fixed(result.value)
  const interval = result.interval === null ? '' : ` (${range(result.interval)})`
  return `${score}${interval}${result.n < result.total ? `, ${percent(result.n, result.total)} of docs` : ''}`
}

interface MarkdownColumn {
  readonly title: string
  readonly isRight?: boolean
}

/** A table below an empty line, without which it would belong to the paragraph above. */
function markdownTable(columns: readonly MarkdownColumn[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`
  return [
    '\n',
    line(columns.map(({ title }) => title)),
    line(columns.map(({ isRight = false }) => (isRight ? '---:' : '---'))),
    ...rows.map(line),
  ].join('')
}

/** Escapes everything that Markdown or HTML would interpret. An underscore between letters is none of it, and stays readable. */
export const escaped = (text: string): string =>
  oneLine(visibleText(text))
    .trim()
    .replace(/[\\`*[\]~|$]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')

/** Escapes what would be a list, a heading or a number of a list at the beginning of an item. */
const startingText = (text: string): string => text.replace(/^[-+=#]/, '\\$&').replace(/^(\d+)([.)])/, '$1\\$2')

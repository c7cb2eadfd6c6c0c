import { metricLabel } from '../../reading/metric-label.js'
import { visibleText, oneLine } from '../../../base/text/visible-text.js'
import type { Aggregate } from '../../../cache/records.js'
import { formatDecimal, percent, range } from '../../../base/text/numbers.js'
import { plain } from '../text/layout/paint.js'
import { formatTaskName, resultNotes, resultSections, shownNames } from '../text/results/result-table.js'
import { modelLabel } from '../text/results/run-header.js'
import { failedDocs } from '../../reading/samples/failed-docs.js'
import { columnsByRun, type TableColumn } from './table-columns.js'
import { compareColumns } from '../../reading/comparing/compare-columns.js'
import type { GateResult } from '../../reading/gates/check-gates.js'
import { reportedName, type ReportedScores } from './reported-run.js'

/** Writes the results as GitHub Markdown tables. One run gets the terminal's tables. Several runs get one column each. */
export async function* markdownReport(runs: readonly ReportedScores[]): AsyncGenerator<string> {
  const [only] = runs
  for (const reported of runs)
    yield `${runs.length > 1 ? '- ' : ''}Run **${escapeMarkdown(reportedName(reported))}** of ${escapeMarkdown(modelLabel(reported.run))}\n`
  yield* runs.length === 1 && only !== undefined ? oneRun(only) : markdownMatrix(columnsByRun(runs))
}

function* oneRun({ run, judgement, failures, assessment }: ReportedScores): Generator<string> {
  yield* gateTable(assessment?.gates ?? [])
  for (const { columns, rows } of resultSections(judgement.aggregates, shownNames(run), assessment?.baseline))
    yield markdownTable(
      columns.map(({ title, align }) => ({ title, isRight: align === 'right' })),
      rows.map(row => row.map(escapeMarkdown)),
    )
  const baseline = assessment?.baseline
  const notes = [
    ...resultNotes(judgement.aggregates, failedDocs(failures), plain),
    ...(baseline === undefined ? [] : [`baseline: ${baseline.label}`, ...baseline.notes]),
  ]
  yield `\n${notes.map(note => `- ${startingText(escapeMarkdown(note))}\n`).join('')}`
}

/** A table of the gates, before all numbers, because readers of a pull request look for it first. */
function* gateTable(gates: readonly GateResult[]): Generator<string> {
  if (gates.length === 0) return
  yield markdownTable(
    [{ title: 'gate' }, { title: '' }, { title: 'found' }],
    gates.map(({ gate, passed, reason, task, metric }) => [
      escapeMarkdown(gate),
      passed ? 'passed' : '**failed**',
      escapeMarkdown(task === undefined || metric === undefined ? reason : `${task} ${metric}: ${reason}`),
    ]),
  )
}

/** A table of several runs or models: a row for each metric, a column for each. */
export async function* markdownMatrix(columns: readonly TableColumn[]): AsyncGenerator<string> {
  const names = columns.flatMap(({ runs }) => runs.flatMap(({ run }) => shownNames(run)))
  const rows = await compareColumns(columns.map(({ runs }) => runs))
  yield markdownTable(
    [
      { title: 'task' },
      { title: 'metric' },
      ...columns.map(({ title }) => ({ title: escapeMarkdown(title), isRight: true })),
    ],
    rows.map(({ first, results, best, ties }) => [
      escapeMarkdown(formatTaskName(first, names)),
      escapeMarkdown(metricLabel(first)),
      ...results.map((result, index) => cell(result, { isBest: index === best, isTied: ties.includes(index) })),
    ]),
  )
  yield '\n95 % intervals in parentheses. A bold score is better than that of each other one by the paired comparison; an italic one is the best, or not shown to be worse than it.\n'
}

/** `**0.905** (0.885 – 0.922)`, with the coverage if docs are missing. */
function cell(
  result: Aggregate | undefined,
  { isBest, isTied }: { readonly isBest: boolean; readonly isTied: boolean },
): string {
  if (result === undefined) return '–'
  const around = isBest ? '**' : isTied ? '*' : ''
  const score = `${around}${formatDecimal(result.value)}${around}`
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
export const escapeMarkdown = (text: string): string =>
  oneLine(visibleText(text))
    .trim()
    .replace(/[\\`*[\]~|$]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')

/** Escapes what would be a list, a heading or a number of a list at the beginning of an item. */
const startingText = (text: string): string => text.replace(/^[-+=#]/, '\\$&').replace(/^(\d+)([.)])/, '$1\\$2')

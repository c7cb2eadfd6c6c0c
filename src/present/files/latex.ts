import { metricLabel } from '../../reading/metric-label.js'
import { visibleText, oneLine } from '../../../base/text/visible-text.js'
import type { Aggregate } from '../../../cache/records.js'
import { formatCount } from '../../../base/text/numbers.js'
import { formatTaskName, shownNames } from '../text/results/result-table.js'
import { modelLabel } from '../text/results/run-header.js'
import { compareColumns } from '../../reading/comparing/compare-columns.js'
import { reportedName, type ReportedScores } from './reported-run.js'
import { columnsByRun, type TableColumn } from './table-columns.js'

/** The results as a LaTeX table, to be read with `\\input`. One run has columns for n and coverage; several runs have a column each. */
export async function* latexReport(runs: readonly ReportedScores[]): AsyncGenerator<string> {
  const [only] = runs
  yield* runs.length === 1 && only !== undefined ? oneRun(only) : latexMatrix(columnsByRun(runs))
}

async function* oneRun(reported: ReportedScores): AsyncGenerator<string> {
  const rows = await compareColumns([[reported]])
  yield* head([`${reportedName(reported)}: ${modelLabel(reported.run)}`])
  yield* table(
    ['Score', '$n$', 'Coverage'],
    rows.map(({ first, results: [result] }) => ({
      first,
      names: shownNames(reported.run),
      cells: [score(result), `$${result?.n ?? 0}$`, coverage(result)],
    })),
  )
}

/** A table of several runs or models: a row for each metric, a column for each. */
export async function* latexMatrix(columns: readonly TableColumn[]): AsyncGenerator<string> {
  const names = columns.flatMap(({ runs }) => runs.flatMap(({ run }) => shownNames(run)))
  const rows = await compareColumns(columns.map(({ runs }) => runs))
  yield* head(columns.map(({ title, about }) => `${title}: ${about}`))
  yield comment(
    'A bold score is better than that of each other one by the paired comparison; an italic one is the best, or not shown to be worse than it.',
  )
  yield* table(
    columns.map(({ title }) => texText(title)),
    rows.map(({ first, results, best, ties }) => ({
      first,
      names,
      cells: results.map((result, index) => {
        const mark = index === best ? 'bf' : ties.includes(index) ? 'it' : undefined
        return `${score(result, mark)}${formatMissing(result)}`
      }),
    })),
  )
}

function* head(about: readonly string[]): Generator<string> {
  yield '% \\usepackage{booktabs}\n'
  for (const text of about) yield comment(text)
  yield comment('Intervals are 95 %. They have two numbers where the distances to both ends differ.')
}

interface TableRow {
  readonly first: Aggregate
  /** The names of tasks in tables. */
  readonly names: ReturnType<typeof shownNames>
  readonly cells: readonly string[]
}

/** Groups stand below a rule. */
function* table(numbers: readonly string[], rows: readonly TableRow[]): Generator<string> {
  yield `\\begin{tabular}{ll${'r'.repeat(numbers.length)}}\n  \\toprule\n`
  yield line(['Task', 'Metric', ...numbers])
  yield '  \\midrule\n'
  let isGroup = false
  for (const { first, names, cells } of rows) {
    if (first.of !== undefined && !isGroup && rows[0]?.first.of === undefined) yield '  \\midrule\n'
    isGroup = first.of !== undefined
    yield line([texText(formatTaskName(first, names)), texText(metricLabel(first)), ...cells])
  }
  yield '  \\bottomrule\n\\end{tabular}\n'
}

const line = (cells: readonly string[]): string => `  ${cells.join(' & ')} \\\\\n`

/** A line end would end the comment, and the rest would be typeset. */
const comment = (text: string): string => `% ${oneLine(visibleText(text)).replace(/\s+/gu, ' ')}\n`

/** `$0.905 \pm 0.018$`, `$0.905^{+0.017}_{-0.020}$`, or `--` without a value. */
function score(result: Aggregate | undefined, mark?: 'bf' | 'it'): string {
  if (result === undefined || result.value === null) return '--'
  const valueText = result.value.toFixed(3)
  return `$${mark === undefined ? valueText : `\\math${mark}{${valueText}}`}${interval(result.value, result.interval)}$`
}

function interval(value: number, ends: Aggregate['interval']): string {
  if (ends === null) return ''
  const [below, above] = [value - ends[0], ends[1] - value].map(distance => Math.max(0, distance).toFixed(3))
  return below === above ? ` \\pm ${above}` : `^{+${above}}_{-${below}}`
}

function coverage(result: Aggregate | undefined): string {
  if (result === undefined || result.total === 0) return '--'
  // Truncated as in the terminal, so that 100 % means all.
  return `$${(Math.floor((result.n / result.total) * 1000 + 1e-9) / 10).toFixed(1)}\\,\\%$`
}

const formatMissing = (result: Aggregate | undefined): string =>
  result === undefined || result.n >= result.total ? '' : ` (${formatCount(result.n)} of ${formatCount(result.total)})`

const commands: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
  '<': '\\textless{}',
  '>': '\\textgreater{}',
  '|': '\\textbar{}',
  '`': '\\textasciigrave{}',
  // In some languages, babel makes the quotation mark an active character.
  '"': '\\symbol{34}',
  // Behind a line's end they would be its argument. Two hyphens would become a dash.
  '[': '{[}',
  ']': '{]}',
  '*': '{*}',
  '-': '{-}',
}

/** Escapes everything that TeX would interpret. */
export const texText = (text: string): string =>
  oneLine(visibleText(text)).replace(
    /[\\~^<>|`"[\]*&%$#_{}]|-(?=-)/gu,
    character => commands[character] ?? `\\${character}`,
  )

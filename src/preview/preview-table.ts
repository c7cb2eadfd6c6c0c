import { spellReferences, type Spelling } from '../../base/errors/option-words.js'
import type { TokenRange } from '../../stages/model/budget/estimate.js'
import type { Preview } from './preview.js'
import type { LimitSettings } from '../config/limits.js'
import { dollars, formatCount } from '../../base/text/numbers.js'
import type { Paint } from '../present/text/layout/paint.js'
import { previewNotes } from './preview-notes.js'
import { sumPreviews, type Sums } from './preview-sums.js'
import { indentLines, pairs, table, type Column } from '../present/text/layout/table.js'

/** The table of a plan: one line for each task, then notes. */
export function previewLines(
  preview: Preview,
  options: { readonly isJudged: boolean; readonly spelling: Spelling; readonly limits?: LimitSettings },
  paint: Paint,
): string[] {
  const { run, model, tasks } = preview
  const total = sumPreviews(tasks)
  // Lines are wrapped by their width, which references do not have.
  const notes = previewNotes(preview, total, options).map(
    ([title, text]) => [title, spellReferences(text, options.spelling)] as const,
  )
  const rows = [
    ...tasks.map(task => [task.task, ...cells(task, total)]),
    ...(tasks.length > 1 ? [['all', ...cells(total, total)]] : []),
  ]
  return [
    `plan of run ${run.name} (${run.isNew ? 'new' : 'in the store'}): nothing was sent, and the store is as it was`,
    ...indentLines(within => pairs([['model', [...new Set([model.backend, model.model])].join(' ')]], within), paint),
    '',
    ...indentLines(within => table([{ title: 'task', least: 12 }, ...columns(total)], rows, within), paint),
    '',
    ...indentLines(within => pairs(notes, within), paint),
  ]
}

/** The plans of several runs together: one line for each run. What runs ask alike counts for each, though only the first one sends it. */
export function previewSumLines(
  plans: readonly { readonly name: string; readonly tasks: Preview['tasks'] }[],
  paint: Paint,
): string[] {
  const sums = plans.map(({ tasks }) => sumPreviews(tasks))
  const total = sumPreviews(sums)
  const rows = [
    ...plans.map(({ name }, index) => [name, ...cells(sums[index] ?? total, total)]),
    ['all', ...cells(total, total)],
  ]
  return [
    `plan of all ${formatCount(plans.length)} runs: requests that several runs ask alike are sent once, and count for each here`,
    '',
    ...indentLines(within => table([{ title: 'run', least: 12 }, ...columns(total)], rows, within), paint),
  ]
}

/** Ranks of columns on a narrow screen. Requests and cost stay longest. */
const drops = new Map([
  ['in store', 7],
  ['docs', 6],
  ['same request', 5],
  ['failed for good', 4],
  ['can’t be made', 3],
  ['requests', 2],
  ['input tokens', 1],
])

/** Leaves out columns without any value. */
function columns(total: Sums): readonly Column[] {
  const titles = [
    'docs',
    'requests',
    'in store',
    ...(total.shared > 0 ? ['same request'] : []),
    ...(total.failed > 0 ? ['failed for good'] : []),
    ...(total.broken > 0 ? ['can’t be made'] : []),
    'to ask',
    'input tokens',
    'output tokens',
    'cost',
  ]
  return titles.map(title => {
    const drop = drops.get(title)
    return { title, align: 'right', least: narrowest(title), ...(drop !== undefined && { drop }) }
  })
}

/** On a narrow screen, ranges take two lines, and titles one line for each word. */
const narrowest = (title: string): number => (/tokens|cost/.test(title) ? 9 : 8)

const cells = (sums: Sums, total: Sums): readonly string[] => [
  formatCount(sums.docs),
  formatCount(sums.requests),
  formatCount(sums.inStore),
  ...(total.shared > 0 ? [formatCount(sums.shared)] : []),
  ...(total.failed > 0 ? [formatCount(sums.failed)] : []),
  ...(total.broken > 0 ? [formatCount(sums.broken)] : []),
  formatCount(sums.toAsk),
  between(sums.input, formatCount),
  between(sums.output, formatCount),
  sums.cost === undefined ? '–' : between(sums.cost, dollars),
]

/** `1,200 – 1,900`, or `at most 50,000` if only the maximum is known. */
function between({ low, high }: TokenRange, say: (value: number) => string): string {
  if (high === 0) return say(0)
  if (low === 0) return `at most ${say(high)}`
  return say(low) === say(high) ? say(high) : `${say(low)} – ${say(high)}`
}

import type { StoreStats, VerifyReport } from '../../../cache/store.js'
import { formatQuantity, formatCount, size } from '../../../base/text/numbers.js'
import type { Paint } from './layout/paint.js'
import { pairs } from './layout/table.js'

/** The contents and size of a store. */
export const statsLines = (dir: string, stats: StoreStats, paint: Paint): string[] =>
  pairs(
    [
      ['store', dir],
      ['runs', formatCount(stats.runs)],
      ['requests', formatCount(stats.requests)],
      ['answers', formatCount(stats.responses)],
      ['failures', formatCount(stats.failures)],
      ['scores', formatCount(stats.scores)],
      ['media', `${formatQuantity(stats.media.files, 'file')}, ${size(stats.media.bytes)}`],
      ['database', size(stats.databaseBytes)],
    ],
    paint,
  )

/**
 * Lists damaged records by name, and what the repair did with them.
 *
 * @param storeFlag ` --store DIR` if a command needs it, else empty
 */
export function verifyLines(report: VerifyReport, storeFlag: string, paint: Paint): string[] {
  const { checked, damaged, repaired, salvaged } = report
  const counts = Object.entries(checked).map(([kind, count]) => `${kind} ${formatCount(count)}`)
  const checkedLine = `checked: ${counts.join(', ')}`
  if (damaged.length === 0) return [checkedLine, 'no damage']
  const next = repaired
    ? 'repaired or removed; the same command computes what is missing'
    : `repair or remove them, to be computed again:  pipeline cache verify --repair${storeFlag}`
  return [
    ...damagedLines(damaged, paint),
    ...salvagedLines(salvaged),
    checkedLine,
    `${formatQuantity(damaged.length, 'damaged record')}: ${next}`,
  ]
}

/** The maximum number of names shown. One lost page of configs damages every request. */
const mostNames = 20

function damagedLines(damaged: VerifyReport['damaged'], paint: Paint): string[] {
  const kinds = [...new Set(damaged.map(({ kind }) => kind))]
  return kinds.flatMap(kind => {
    const names = damaged.filter(entry => entry.kind === kind).map(({ name }) => name)
    const shownNames = names.length > mostNames + 1 ? names.slice(0, mostNames) : names
    const line = (text: string): string => `${paint.red('damaged')}  ${kind}  ${text}`
    const rest = names.length - shownNames.length
    return [
      ...shownNames.map(line),
      ...(rest === 0 ? [] : [line(`… and ${formatCount(rest)} more, all of them with --json`)]),
    ]
  })
}

function salvagedLines(salvaged: VerifyReport['salvaged']): string[] {
  if (salvaged === undefined) return []
  const { rows, kept, sealed, unreadable } = salvaged
  const from = kept === undefined ? '' : ` that could be read; the damaged file is now ${kept}`
  return [
    `rebuilt from ${formatQuantity(rows['response'] ?? 0, 'answer')}, ${formatQuantity(rows['request'] ?? 0, 'request')} and ${formatQuantity(rows['run'] ?? 0, 'run')}${from}`,
    ...(sealed.length === 0 ? [] : [`brought back from sealed tables: ${sealed.join(', ')}`]),
    ...unreadable.map(problem => `not brought back: ${problem}`),
  ]
}

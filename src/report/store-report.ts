import type { StoreStats, VerifyReport } from '../../cache/store.js'
import { counted, grouped, size } from './numbers.js'
import type { Paint } from './paint.js'
import { pairs } from './table.js'

/** What is in a store, and how much room it takes. */
export const statsLines = (dir: string, stats: StoreStats, paint: Paint): string[] =>
  pairs(
    [
      ['store', dir],
      ['runs', grouped(stats.runs)],
      ['requests', grouped(stats.requests)],
      ['answers', grouped(stats.responses)],
      ['failures', grouped(stats.failures)],
      ['scores', grouped(stats.scores)],
      ['media', `${counted(stats.media.files, 'file')}, ${size(stats.media.bytes)}`],
      ['database', size(stats.databaseBytes)],
    ],
    paint,
  )

/** Every damaged record by name, and what became of it. */
export function verifyLines({ checked, damaged, repaired, salvaged }: VerifyReport, paint: Paint): string[] {
  const counts = Object.entries(checked).map(([kind, count]) => `${kind} ${grouped(count)}`)
  const found = damaged.map(({ kind, name }) => `${paint.red('damaged')}  ${kind}  ${name}`)
  const all = `checked: ${counts.join(', ')}`
  if (damaged.length === 0) return [all, 'no damage']
  const next = repaired
    ? 'mended or dropped; the same line again computes what is missing'
    : 'mend or drop them, to be computed again:  pipeline cache verify --repair'
  return [...found, ...salvagedLines(salvaged), all, `${counted(damaged.length, 'damaged record')}: ${next}`]
}

function salvagedLines(salvaged: VerifyReport['salvaged']): string[] {
  if (salvaged === undefined) return []
  const { rows, kept, sealed, unreadable } = salvaged
  const from = kept === undefined ? '' : ` that could be read; the damaged file is now ${kept}`
  return [
    `made anew of ${counted(rows['response'] ?? 0, 'answer')}, ${counted(rows['request'] ?? 0, 'request')} and ${counted(rows['run'] ?? 0, 'run')}${from}`,
    ...(sealed.length === 0 ? [] : [`brought back from sealed tables: ${sealed.join(', ')}`]),
    ...unreadable.map(problem => `not brought back: ${problem}`),
  ]
}

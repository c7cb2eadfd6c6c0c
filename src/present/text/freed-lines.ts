import { formatCount, formatQuantity, size } from '../../../base/text/numbers.js'
import type { FreedJson } from '../json/freed-json.js'
import type { Paint } from './layout/paint.js'
import { pairs } from './layout/table.js'

/** Tells whether there is nothing to free. */
export const isNothingFreed = ({ runs, auxiliary_runs: auxiliary, bytes, requests }: FreedJson): boolean =>
  runs.length + auxiliary.length + bytes + requests === 0

/** Lists what is freed, one kind a line. */
export const freedLines = (freed: FreedJson, paint: Paint): string[] =>
  pairs(
    [
      ...(freed.auxiliary_runs.length === 0
        ? []
        : [['runs of judges and rounds', formatCount(freed.auxiliary_runs.length)] as const]),
      ['requests', `${formatCount(freed.requests)}, ${formatCount(freed.answers)} of them answered`],
      ['scores', formatCount(freed.scores)],
      ['judge records', formatCount(freed.records)],
      ['texts of these', size(freed.record_bytes)],
      ['media', `${formatQuantity(freed.media.files, 'file')}, ${size(freed.media.bytes)}`],
      ...(freed.sealed.runs.length === 0
        ? []
        : [
            [
              'sealed tables',
              `${formatQuantity(freed.sealed.runs.length, 'run')}, ${size(freed.sealed.bytes)}`,
            ] as const,
          ]),
    ],
    paint,
  )

/** Explains why media are not freed. Empty if no process needs them. */
export function usersNote({ users }: FreedJson): string {
  const [first] = users
  if (first === undefined) return ''
  const others =
    users.length === 1 ? '' : ` and ${formatQuantity(users.length - 1, 'other process', 'other processes')}`
  return `media stay while process ${first.pid} on ${first.host}${others} has the store open. Free them later with the same command.`
}

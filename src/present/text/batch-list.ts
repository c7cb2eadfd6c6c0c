import type { ProviderBatch } from '../../../cache/batches.js'
import { dateTime, formatCount } from '../../../base/text/numbers.js'
import type { Paint } from './layout/paint.js'
import { table, type Column } from './layout/table.js'

/** A batch's state in words. */
export function batchState({ state }: ProviderBatch): string {
  const words = {
    filling: 'being filled',
    ready: 'not submitted yet',
    creating: 'perhaps submitted: looked for at the next start',
    submitted: 'with the provider',
  } as const
  return words[state]
}

const columns: readonly Column[] = [
  { title: 'batch', least: 12 },
  { title: 'at the provider', least: 12 },
  { title: 'where', least: 12, drop: 2 },
  { title: 'open', align: 'right' },
  { title: 'of', align: 'right', drop: 1 },
  { title: 'state', least: 10 },
  { title: 'created', drop: 3 },
]

/** Open batches, one on each line. */
export function batchList(batches: readonly ProviderBatch[], paint: Paint): string[] {
  if (batches.length === 0) return ['no batches']
  const rows = batches.map(batch => [
    batch.name,
    batch.id ?? '–',
    batch.address,
    formatCount(batch.open),
    formatCount(batch.requests),
    batchState(batch),
    dateTime(batch.createdAt),
  ])
  return table(columns, rows, paint)
}

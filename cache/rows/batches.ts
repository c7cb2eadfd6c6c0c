import type { ProviderBatch } from '../batches.js'
import { DamagedRowError, toText, type RowSums } from './sums.js'

/** A row of the table of provider batches. */
export interface BatchRow {
  readonly id: number
  readonly name: string
  readonly address: string
  readonly requests: number
  readonly progress: string
  readonly created: number
  readonly owner: number | null
  readonly sum: number
  readonly held: number
}

/** The fields of a batch that are stored as JSON. */
export type BatchProgress = Pick<ProviderBatch, 'state' | 'creatingAt' | 'upload' | 'id' | 'cancelling'>

/** @throws DamagedRowError if the checksum is wrong */
export function readBatchRow(sums: RowSums, row: BatchRow): ProviderBatch {
  if (computeBatchSum(sums, row) !== row.sum) throw new DamagedRowError('batch', row.id)
  const { id, name, address, requests, created: createdAt, held: open } = row
  return { ref: id, name, address, requests, open, createdAt, ...(JSON.parse(row.progress) as BatchProgress) }
}

/** Computes the checksum of a batch's row, over the fields that must not be damaged. */
export const computeBatchSum = (
  { sum }: RowSums,
  row: Pick<BatchRow, 'name' | 'address' | 'requests' | 'progress'>,
): number => sum(row.name, row.address, row.requests, row.progress)

/** Serializes the progress of a batch. */
export const batchProgressText = ({ state, creatingAt, upload, id, cancelling }: BatchProgress): string =>
  toText({
    state,
    ...(creatingAt === undefined ? {} : { creatingAt }),
    ...(upload === undefined ? {} : { upload }),
    ...(id === undefined ? {} : { id }),
    ...(cancelling === undefined ? {} : { cancelling }),
  })

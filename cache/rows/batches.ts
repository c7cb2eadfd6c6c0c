import type { ProviderBatch } from '../batches.js'
import type { Run } from '../records.js'
import type { Lease } from '../store.js'
import { makeLease, type FindGeneration, type RequestRow } from './leases.js'
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

/** A request of a batch, with one of the items that ask it, of the batch's run if there is one. */
export interface HeldRow extends Omit<RequestRow, 'item' | 'doc_id' | 'task'> {
  readonly item: number | null
  readonly run: number | null
  readonly doc_id: string | null
  readonly task: number | null
}

/** A batch and the run that its requests are leased for. */
export interface LeaseSearch {
  readonly batch: ProviderBatch
  readonly run: Run
}

/** Makes a lease of a request in a batch. If its run was removed meanwhile, no item needs the answer, but it is stored anyway. */
export function makeHeldLease({ batch, run }: LeaseSearch, row: HeldRow, findGeneration: FindGeneration): Lease {
  const isOfRun = row.run === run.ref
  const lease = makeLease(
    { ...row, item: row.item ?? 0, doc_id: row.doc_id ?? '', task: row.task ?? -1 },
    {
      ...{ token: 0, run: row.run ?? run.ref, findGeneration },
      task: isOfRun ? run.asked.tasks[row.task ?? -1]?.name : undefined,
    },
  )
  return { ...lease, batch: batch.ref }
}

import type { Price } from '../../../facts/compute-cost.js'
import type { Judgement, Run } from '../../../records.js'
import type { OpenedRun } from '../../../store.js'

/** A run with a judgement, as far as the index needs to know them. It is sent to threads. */
export interface BuildTarget {
  readonly run: Pick<Run, 'id' | 'ref' | 'createdAt' | 'asked'> & {
    readonly provenance: Pick<Run['provenance'], 'scoring'>
  }
  readonly judgement?: Pick<Judgement, 'ref' | 'createdAt'>
  readonly price?: Price
}

export const makeBuildTarget = ({ run, judgement, price }: OpenedRun): BuildTarget => ({
  run: {
    id: run.id,
    ref: run.ref,
    createdAt: run.createdAt,
    asked: run.asked,
    provenance: { scoring: run.provenance.scoring },
  },
  ...(judgement && { judgement: { ref: judgement.ref, createdAt: judgement.createdAt } }),
  ...(price && { price }),
})

/** Names the run in the index. The name includes the row number and the creation time, because another store may be created at the same path. */
export const runName = ({ run: { id, ref, createdAt } }: BuildTarget): string => `${id} ${ref} ${createdAt}`

/** Names the run with its judgement in the index. */
export const targetName = (target: BuildTarget): string =>
  `${runName(target)} ${target.judgement?.ref ?? 0} ${target.judgement?.createdAt ?? 0}`

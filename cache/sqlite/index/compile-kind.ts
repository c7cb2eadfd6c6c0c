import { outcomes } from '../../facts/sample-facts.js'
import type { KindTest } from '../../store.js'

const rights = [null, false, true] as const
const flags = [false, true] as const
const changes = [null, -1, 0, 1] as const

/** Numbers a combination of facts. The number is an index into the table of a kind. */
export const factNumber = (
  outcome: number,
  right: number,
  empty: number,
  cut: number,
  disputed: number,
  labelled: number,
  change: number,
): number =>
  (((((outcome * rights.length + right) * 2 + empty) * 2 + cut) * 2 + disputed) * 2 + labelled) * changes.length +
  change

/** Numbers a boolean or null for {@link factNumber}. */
export const rightNumber = (isRight: boolean | null): number => (isRight === null ? 0 : isRight ? 2 : 1)

/** Numbers a difference for {@link factNumber}. NaN means no difference. */
export const changeNumber = (change: number): number => (Number.isNaN(change) ? 0 : change < 0 ? 1 : change > 0 ? 3 : 2)

/** Evaluates a kind for each combination of facts. @returns 1 or 0 by {@link factNumber} */
export function compileKind({ passes }: KindTest): Uint8Array {
  const table: number[] = []
  for (const outcome of outcomes)
    for (const isRight of rights)
      for (const isEmpty of flags)
        for (const isCut of flags)
          for (const isDisputed of flags)
            for (const isLabelled of flags)
              for (const change of changes)
                table.push(passes({ outcome, isRight, isEmpty, isCut, isDisputed, isLabelled, change }) ? 1 : 0)
  return Uint8Array.from(table)
}

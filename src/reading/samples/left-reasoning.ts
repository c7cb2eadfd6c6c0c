import type { Run } from '../../../cache/records.js'
import type { Sample } from '../../../cache/store.js'
import { looksLikeReasoning } from '../../../stages/judge/text/reasoning-families.js'

/** The first answers of a task, and those among them that hold marks of reasoning which no tag removes. */
export interface LeftReasoning {
  readonly task: string
  readonly answers: number
  readonly marked: number
}

/** The number of the first answers of a run that are looked at. */
export const mostInspected = 50

/** Makes a counter that finds a task whose scored texts begin with marks of reasoning. */
export function countLeftReasoning(run: Run): {
  readonly add: (sample: Sample) => void
  readonly find: () => LeftReasoning | undefined
} {
  const counts = new Map<number, { answers: number; marked: number }>()
  let looked = 0
  return {
    add(sample) {
      if (looked === mostInspected) return
      looked += 1
      const texts = Object.values(sample.score?.extracted ?? {}).filter(value => typeof value === 'string')
      if (texts.length === 0) return
      const count = counts.get(sample.task) ?? { answers: 0, marked: 0 }
      counts.set(sample.task, count)
      count.answers += 1
      if (texts.some(looksLikeReasoning)) count.marked += 1
    },
    find() {
      const [entry] = [...counts].filter(([, { marked }]) => marked > 0)
      return entry && { task: run.asked.tasks[entry[0]]?.name ?? '', ...entry[1] }
    },
  }
}

import type { Judgement, Run } from '../../../cache/records.js'
import type { Sample } from '../../../cache/store.js'
import { containsWords } from '../../../stages/judge/text/word-edges.js'

/** The number of the first wrong answers of a task, and of those that hold their target among other words. */
export interface HeldTargets {
  readonly task: string
  readonly wrong: number
  readonly held: number
}

/** The numbers of wrong answers of a task that are enough, and that are too few. */
const mostWrong = 50
const fewestWrong = 5

/** Counts held targets in the samples that it is shown. */
export interface HeldTargetCounter {
  /** True if a task is compared so, and samples can tell something. */
  readonly isNeeded: boolean
  readonly add: (sample: Sample) => void
  /** The first task with held targets; undefined if there is none, or fewer than five wrong answers. */
  readonly find: () => HeldTargets | undefined
}

/**
 * Makes a counter that finds a task whose metric compares whole answers, while most of its wrong answers hold the target among other
 * words, as "The answer is 7." holds "7".
 */
export function countHeldTargets(run: Run, { aggregates }: Judgement): HeldTargetCounter {
  const compared = new Set(
    aggregates
      ?.filter(({ group, metric, value }) => group === undefined && metric === 'exact_match' && Number(value) < 0.5)
      .map(({ task }) => task),
  )
  const counts = new Map<number, { wrong: number; held: number }>()
  return {
    isNeeded: compared.size > 0,
    add(sample) {
      if (!compared.has(run.asked.tasks[sample.task]?.name ?? '')) return
      const count = counts.get(sample.task) ?? { wrong: 0, held: 0 }
      counts.set(sample.task, count)
      if (count.wrong === mostWrong || !isWholeWrong(sample)) return
      count.wrong += 1
      if (holdsTarget(sample)) count.held += 1
    },
    find() {
      const [entry] = [...counts].filter(([, { wrong, held }]) => wrong >= fewestWrong && held * 2 > wrong)
      return entry && { task: run.asked.tasks[entry[0]]?.name ?? '', ...entry[1] }
    },
  }
}

const isWholeWrong = ({ score }: Sample): boolean =>
  score?.outcome === 'scored' &&
  Object.entries(score.values).some(([name, value]) => /^exact_match(?:,|$)/.test(name) && value === 0)

function holdsTarget({ score, record: { target } }: Sample): boolean {
  const sought = [target]
    .flat()
    .flatMap(value => (typeof value === 'string' || typeof value === 'number' ? [fold(String(value))] : []))
  const texts = Object.values(score?.extracted ?? {}).flatMap(value => (typeof value === 'string' ? [fold(value)] : []))
  return sought.some(word => word !== '' && texts.some(text => text !== word && containsWords(text, word)))
}

const fold = (text: string): string => text.trim().toLowerCase().normalize('NFC')

import type { Judgement, Run } from '../../../cache/records.js'
import type { Sample, Store } from '../../../cache/store.js'
import { containsWords } from '../../../stages/judge/text/word-edges.js'

/** The number of the first wrong answers of a task, and of those that hold their target among other words. */
export interface HeldTargets {
  readonly task: string
  readonly wrong: number
  readonly held: number
}

/** The numbers of docs that are read, and of wrong answers that are enough. */
const mostDocs = 1000
const mostWrong = 50
const fewestWrong = 5

/**
 * Finds a task whose metric compares whole answers, while most of its wrong answers hold the target among other words, as "The answer is 7." holds "7".
 *
 * @returns undefined if there is no such task, or fewer than five wrong answers
 */
export async function findHeldTargets(
  store: Pick<Store, 'judgements'>,
  run: Run,
  judgement: Judgement,
): Promise<HeldTargets | undefined> {
  const compared = new Set(
    judgement.aggregates
      ?.filter(({ group, metric, value }) => group === undefined && metric === 'exact_match' && Number(value) < 0.5)
      .map(({ task }) => task),
  )
  if (compared.size === 0) return undefined
  const counts = new Map<number, { wrong: number; held: number }>()
  let read = 0
  for await (const sample of store.judgements.samples(run, judgement)) {
    if (++read > mostDocs) break
    if (!compared.has(run.asked.tasks[sample.task]?.name ?? '')) continue
    const count = counts.get(sample.task) ?? { wrong: 0, held: 0 }
    counts.set(sample.task, count)
    if (count.wrong === mostWrong || !isWholeWrong(sample)) continue
    count.wrong += 1
    if (holdsTarget(sample)) count.held += 1
  }
  const [found] = [...counts].filter(([, { wrong, held }]) => wrong >= fewestWrong && held * 2 > wrong)
  return found && { task: run.asked.tasks[found[0]]?.name ?? '', ...found[1] }
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

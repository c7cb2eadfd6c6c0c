import { describeState, listSteps, takeStep, type Rules, type State, type Step } from './lease-model.js'

/** What an exploration found. `mistake` names the first broken promise, with the steps that lead to it. */
export interface Exploration {
  readonly states: number
  readonly ends: number
  readonly mistake?: { readonly what: string; readonly steps: readonly Step[] }
}

interface Visit {
  readonly state: State
  readonly name: string
  readonly steps: readonly Step[]
  next: number
}

/** Visits every state that can be reached, depth first, and ends at the first mistake. */
export function exploreLeases(start: State, rules: Rules): Exploration {
  const known = new Map<string, 'open' | 'done'>()
  const path: Step[] = []
  const visits: Visit[] = []
  let ends = 0
  const enter = (state: State, name: string): void => {
    known.set(name, 'open')
    visits.push({ state, name, steps: listSteps(state, rules), next: 0 })
  }
  enter(start, describeState(start))
  for (let visit = visits.at(-1); visit !== undefined; visit = visits.at(-1)) {
    const { state, steps, name } = visit
    const found = (what: string): Exploration => ({ states: known.size, ends, mistake: { what, steps: path } })
    if (visit.next === 0 && !hasWork(steps, start)) {
      ends += 1
      const lost = state.items.findIndex(({ answer }) => answer === undefined)
      if (lost !== -1) return found('nothing is left to do, and an item has no answer')
    }
    const step = steps[visit.next]
    if (step === undefined) {
      known.set(name, 'done')
      visits.pop()
      path.pop()
      continue
    }
    visit.next += 1
    const after = takeStep(state, step, rules)
    path.push(step)
    const mistake = findMistake(state, after)
    if (mistake !== undefined) return found(mistake)
    const afterName = describeState(after)
    const seen = known.get(afterName)
    if (seen === 'open') return found('the steps go round in a circle')
    if (seen === 'done') path.pop()
    else enter(after, afterName)
  }
  return { states: known.size, ends }
}

/** Tells whether a step is possible that is no fault. */
const hasWork = (steps: readonly Step[], { left }: State): boolean => steps.some(({ deed }) => !(deed in left))

function findMistake(before: State, after: State): string | undefined {
  for (const [at, item] of after.items.entries()) {
    const old = before.items[at]
    if (old?.answer !== undefined && item.answer !== old.answer) return 'a stored answer was lost or replaced'
    if (item.asked > item.allowed) return 'an item was asked again without a fault'
    const holders = after.workers.filter(({ holds, isSilent }) => !isSilent && holds[at]?.phase === 'sent')
    if (holders.length > item.allowed) return 'two processes ask the same item'
  }
  return undefined
}

/** The protocol of leases and answers as a small model: what processes may do, and what the store decides. Items are requests. */

/** How far a process is with an item that it leased. */
type Phase = 'leased' | 'checked' | 'sent'

interface Hold {
  readonly token: number
  readonly phase: Phase
}

interface Worker {
  /** Counts the processes in this slot. A killed one is replaced by another. */
  readonly life: number
  /** True if it was silent for so long that its leases are free. It may still run, and write late. */
  readonly isSilent: boolean
  readonly holds: readonly (Hold | undefined)[]
  /** The items at which this process failed. It does not lease them again. */
  readonly failed: readonly boolean[]
}

interface Item {
  readonly answer?: string
  /** The stored lease. The slot is undefined if its process was killed. */
  readonly lease?: { readonly slot: number | undefined; readonly token: number } | undefined
  /** The last token that was given for it. */
  readonly token: number
  readonly asked: number
  /** How often it may be asked: once, and again for each request that was in flight at a fault, or that failed. */
  readonly allowed: number
}

export interface State {
  readonly workers: readonly Worker[]
  readonly items: readonly Item[]
  /** The faults that may still happen. */
  readonly left: Readonly<Record<Fault, number>>
  /** The maximum number of items that one process holds. */
  readonly ahead: number
}

const faults = ['kill', 'silence', 'fail', 'release'] as const
type Fault = (typeof faults)[number]
type Deed = 'lease' | 'check' | 'send' | 'answer' | 'wake' | Fault

/** One step: a transaction of the store, a request that is sent, or a fault. */
export interface Step {
  readonly deed: Deed
  readonly slot: number
  /** -1 for steps of a whole process. */
  readonly item: number
}

/** What the store decides. Tests break one rule at a time, to show that the explorer notices. */
export interface Rules {
  isFree(lease: Item['lease'], isHolderAlive: boolean): boolean
  isHeld(lease: Item['lease'], token: number): boolean
  /** Tells whether a process asks the store before it sends. */
  readonly checks: boolean
  keepAnswer(stored: string | undefined, arrived: string): string
}

/** The rules of `cache/sqlite/work/leases.ts` and `cache/postgres/work/leases.ts`. */
export const storeRules: Rules = {
  isFree: (lease, isHolderAlive) => lease === undefined || !isHolderAlive,
  isHeld: (lease, token) => lease?.token === token,
  checks: true,
  keepAnswer: (stored, arrived) => stored ?? arrived,
}

/** @param ahead the maximum number of items that one process holds */
export function startState(
  workers: number,
  items: number,
  { ahead, ...left }: State['left'] & { readonly ahead: number },
): State {
  return {
    ahead,
    workers: Array.from({ length: workers }, () => startWorker(items, 0)),
    items: Array.from({ length: items }, () => ({ token: 0, asked: 0, allowed: 1 })),
    left,
  }
}

const startWorker = (items: number, life: number): Worker => ({
  ...{ life, isSilent: false },
  holds: Array.from({ length: items }, () => undefined),
  failed: Array.from({ length: items }, () => false),
})

const isFault = (deed: Deed): deed is Fault => (faults as readonly Deed[]).includes(deed)

/** Lists the steps that are possible, faults last. */
export function listSteps(state: State, rules: Rules): readonly Step[] {
  const steps = state.workers.flatMap((worker, slot): readonly Step[] => [
    ...state.items.flatMap((_, item) => listItemSteps(state, slot, item, rules).map(deed => ({ deed, slot, item }))),
    ...(worker.isSilent ? [{ deed: 'wake' as const, slot, item: -1 }] : []),
    { deed: 'kill', slot, item: -1 },
    ...(worker.isSilent ? [] : [{ deed: 'silence' as const, slot, item: -1 }]),
  ])
  return steps
    .filter(({ deed }) => !isFault(deed) || state.left[deed] > 0)
    .sort((a, b) => Number(isFault(a.deed)) - Number(isFault(b.deed)))
}

function listItemSteps({ workers, items, ahead }: State, slot: number, at: number, rules: Rules): readonly Deed[] {
  const worker = workers[slot]!
  const item = items[at]!
  const hold = worker.holds[at]
  // An answer or a failure of a silent process is on its way already.
  if (hold?.phase === 'sent') return ['answer', 'fail']
  if (worker.isSilent) return []
  if (hold === undefined) {
    if (item.answer !== undefined || worker.failed[at] === true) return []
    if (worker.holds.filter(other => other !== undefined).length >= ahead) return []
    const holder = item.lease?.slot === undefined ? undefined : workers[item.lease.slot]
    return rules.isFree(item.lease, holder?.isSilent === false) ? ['lease'] : []
  }
  return hold.phase === 'checked' ? ['send'] : ['check', 'release']
}

const replace = <T>(values: readonly T[], at: number, value: T): readonly T[] =>
  values.map((old, index) => (index === at ? value : old))

/** Returns the state after a step. */
export function takeStep(state: State, { deed, slot, item: at }: Step, rules: Rules): State {
  const left = isFault(deed) ? { ...state.left, [deed]: state.left[deed] - 1 } : state.left
  const worker = state.workers[slot]!
  if (at === -1) return { ...changeWorker(state, slot, deed), left }
  const item = state.items[at]!
  const hold = worker.holds[at]
  const set = (nextHold: Hold | undefined, nextItem: Item, hasFailed = worker.failed[at] === true): State => ({
    ...state,
    left,
    workers: replace(state.workers, slot, {
      ...worker,
      holds: replace(worker.holds, at, nextHold),
      failed: replace(worker.failed, at, hasFailed),
    }),
    items: replace(state.items, at, nextItem),
  })
  if (deed === 'lease') {
    const token = item.token + 1
    return set({ token, phase: 'leased' }, { ...item, token, lease: { slot, token } })
  }
  if (hold === undefined) throw new Error(`${deed} without a lease`)
  const isHeld = rules.isHeld(item.lease, hold.token)
  const released: Item = isHeld ? { ...item, lease: undefined } : item
  if (deed === 'check') return set(isHeld || !rules.checks ? { ...hold, phase: 'checked' } : undefined, item)
  if (deed === 'send') return set({ ...hold, phase: 'sent' }, { ...item, asked: item.asked + 1 })
  if (deed === 'release') return set(undefined, released)
  if (deed === 'fail')
    return set(undefined, isHeld ? { ...released, allowed: item.allowed + 1 } : item, isHeld || worker.failed[at])
  return set(undefined, { ...released, answer: rules.keepAnswer(item.answer, nameAnswer(worker, slot, hold)) })
}

/** Names an answer by the process that brings it and by its token. */
const nameAnswer = ({ life }: Worker, slot: number, { token }: Hold): string => `${slot}.${life} with ${token}`

/** Returns what the answer to an item that a process holds is named. */
export function findAnswerName({ workers }: State, { slot, item }: Step): string {
  const worker = workers[slot]!
  return nameAnswer(worker, slot, worker.holds[item]!)
}

function changeWorker(state: State, slot: number, deed: Deed): State {
  const worker = state.workers[slot]!
  if (deed === 'wake') return { ...state, workers: replace(state.workers, slot, { ...worker, isSilent: false }) }
  // A request that was about to be sent counts as in flight. Whoever was silent before has been excused already.
  const isInFlight = ({ phase }: Hold): boolean => phase !== 'leased' && !worker.isSilent
  const items = state.items.map((item, at): Item => {
    const hold = worker.holds[at]
    const allowed = item.allowed + (hold !== undefined && isInFlight(hold) ? 1 : 0)
    const isOrphaned = deed === 'kill' && item.lease?.slot === slot
    return { ...item, allowed, ...(isOrphaned && { lease: { token: item.lease.token, slot: undefined } }) }
  })
  const next = deed === 'kill' ? startWorker(items.length, worker.life + 1) : { ...worker, isSilent: true }
  return { ...state, items, workers: replace(state.workers, slot, next) }
}

/** Returns a text that equal states share. Processes and items are interchangeable, so their order does not count. */
export function describeState({ workers, items, left }: State): string {
  const columns = items.map((item, at) => {
    // Old tokens are all alike, and of the counts only the difference decides what may follow.
    const own = `${item.answer === undefined ? '' : 'A'}${item.lease === undefined ? '' : 'L'}${item.allowed - item.asked}`
    const of = workers.map(({ holds, failed }, slot) => {
      const hold = holds[at]
      const isCurrent = hold !== undefined && hold.token === item.lease?.token
      return `${hold?.phase[0] ?? ''}${isCurrent ? '!' : ''}${failed[at] === true ? 'f' : ''}${item.lease?.slot === slot ? 'o' : ''}`
    })
    return { own, of }
  })
  const orders = permutations.map(order =>
    [
      order.map(slot => (workers[slot]?.isSilent === true ? 's' : '-')).join(''),
      ...columns.map(({ own, of }) => `${own} ${order.map(slot => of[slot] ?? '').join(',')}`).sort(),
    ].join('|'),
  )
  return `${orders.reduce((least, text) => (text < least ? text : least))}|${faults.map(fault => left[fault]).join()}`
}

const permutations = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
] as const

import { sharedRules } from './constants.js'

/** A report of a process to the others that send to the same model of the same account. */
export interface ShareReport {
  /** The name of the process. */
  readonly member: string
  /** Requests that were accepted since its last report, per second. */
  readonly accepted: number
  /** True if it could send more than its part. */
  readonly isHungry: boolean
  /** True if the server limited its rate, with requests that were sent at the present rate. */
  readonly isExceeded: boolean
  /** A rate that the process learned alone, in requests per second. */
  readonly learned?: number | undefined
  /** True if it sends no more. */
  readonly isLeaving?: boolean
}

interface Member {
  /** The time of its last report. */
  readonly at: number
  readonly accepted: number
  readonly isHungry: boolean
  /** The part that it may use until it reports again, in requests per second. */
  readonly part: number
}

/** The state of a limit that processes share. Times are milliseconds of the store's clock, rates are per second. */
export interface SharedLimit {
  /** The rate of all processes together. Undefined until the server limited it. */
  readonly rate?: number | undefined
  /** The rate before the last step upwards. Undefined after a step downwards. */
  readonly held?: number | undefined
  /** The next step upwards, as a share of the rate. It shrinks with each rejection. */
  readonly step: number
  readonly changedAt: number
  /** The milliseconds for which a rate is kept before a higher one is tried. */
  readonly restMs: number
  readonly members: Readonly<Record<string, Member>>
  /** The requests that were accepted while no rate is known: since when, how many, and whether the server limited any. */
  readonly first?: { readonly since: number; readonly accepted: number; readonly isExceeded: boolean } | undefined
}

/** The part of a limit that a process may use until its next report. */
export interface ShareGrant {
  /** The number of processes that share the limit. */
  readonly members: number
  /** Requests per second. Undefined if no limit is known. */
  readonly rate?: number | undefined
  /** The part of the time between two of its requests by which this process is late, so that not all send at the same instants. */
  readonly phase: number
}

/** Takes the report of a process and gives it its part of the limit. Parts never add up to more than the rate. */
export function shareLimit(
  earlierLimit: SharedLimit | undefined,
  report: ShareReport,
  now: number,
): { readonly limit: SharedLimit; readonly grant: ShareGrant } {
  const { member, accepted, isHungry, isLeaving = false } = report
  const before = earlierLimit ?? {
    step: sharedRules.firstStep,
    changedAt: now,
    restMs: sharedRules.firstRestMs,
    members: {},
  }
  const otherMembers = Object.entries(before.members).filter(
    ([name, { at }]) => name !== member && Math.abs(now - at) < sharedRules.silentMs,
  )
  const self: Member = { at: now, accepted, isHungry, part: 0 }
  const present = Object.fromEntries([...otherMembers, ...(isLeaving ? [] : [[member, self] as const])])
  const limit =
    otherMembers.length === 0
      ? adoptRate(before, report, now)
      : moveRate({ ...before, members: present, first: countFirst(before, report, now) }, report, now)
  const part =
    limit.rate === undefined
      ? undefined
      : choosePart(
          limit.rate,
          self,
          otherMembers.map(([, other]) => other),
        )
  const members = isLeaving ? present : { ...present, [member]: { ...self, part: part ?? 0 } }
  return {
    limit: { ...limit, members },
    grant: {
      members: otherMembers.length + 1,
      phase: otherMembers.filter(([name]) => name < member).length / (otherMembers.length + 1),
      ...(part !== undefined && { rate: part }),
    },
  }
}

/** Counts what is accepted until a rate is known. */
function countFirst(
  { rate, first, members }: SharedLimit,
  { member, accepted, isExceeded }: ShareReport,
  now: number,
): SharedLimit['first'] {
  if (rate !== undefined) return undefined
  const { since, ...counted } = first ?? { since: now, accepted: 0, isExceeded: false }
  const seconds = Math.max(0, now - (members[member]?.at ?? now)) / 1_000
  return { since, accepted: counted.accepted + accepted * seconds, isExceeded: counted.isExceeded || isExceeded }
}

/** A process that is alone searches by itself. The others begin with what it found. */
function adoptRate(before: SharedLimit, { learned }: ShareReport, now: number): SharedLimit {
  if (learned === undefined || learned === before.rate) return before
  const step = sharedRules.leastStep
  return { ...before, rate: learned, held: undefined, step, changedAt: now, restMs: sharedRules.firstRestMs }
}

function moveRate(before: SharedLimit, { isExceeded }: ShareReport, now: number): SharedLimit {
  const { rate, held, step, changedAt, restMs, members, first } = before
  const allMembers = Object.values(members)
  const accepted = allMembers.reduce((sum, member) => sum + member.accepted, 0)
  if (rate === undefined) {
    // What comes at once, or before the first answers, says nothing of a second.
    if (first?.isExceeded !== true || now - first.since < sharedRules.firstLookMs) return before
    const firstRate = Math.max(1, (1_000 * first.accepted) / (now - first.since))
    return { ...before, rate: firstRate, held: undefined, changedAt: now }
  }
  if (isExceeded) {
    // Requests at the old rate are still rate limited for a moment.
    if (now - changedAt < sharedRules.settleMs && held === undefined) return before
    const isSettled = step <= 2 * sharedRules.leastStep
    const keptRate = Math.max(1, held ?? rate * sharedRules.keep)
    return {
      ...{ ...before, rate: keptRate, held: undefined, changedAt: now },
      step: Math.max(sharedRules.leastStep, step / 3),
      restMs: isSettled ? Math.min(2 * restMs, sharedRules.longestRestMs) : restMs,
    }
  }
  const isUsed = accepted >= sharedRules.usedShare * rate && allMembers.some(({ isHungry }) => isHungry)
  // After a step that the server took, longer ones follow soon: processes that begin one after the other may have learned a rate far below the limit.
  const isRising = held !== undefined
  const lasts = isRising || step > sharedRules.leastStep ? sharedRules.roundMs : restMs
  if (!isUsed || now - changedAt < lasts) return before
  const next = isRising ? Math.min(sharedRules.firstStep, 2 * step) : step
  return { ...before, rate: rate * (1 + next), step: next, held: rate, changedAt: now }
}

/** Divides the rate fairly. What a process does not use goes to the others. */
function choosePart(rate: number, self: Member, otherMembers: readonly Member[]): number {
  const wants = ({ isHungry, accepted }: Member): number => (isHungry ? Infinity : accepted * 1.2 + 0.5)
  const allMembers = [self, ...otherMembers]
  let remainingRate = rate
  const sorted = [...allMembers].sort((a, b) => wants(a) - wants(b))
  let fair = rate
  for (const [index, member] of sorted.entries()) {
    const part = Math.min(wants(member), remainingRate / (sorted.length - index))
    if (member === self) fair = part
    remainingRate -= part
  }
  const takenRate = otherMembers.reduce((sum, { part }) => sum + part, 0)
  // A process that just joined waits for the others to report. Nobody waits for ever.
  return Math.max(Math.min(fair, rate - takenRate), sharedRules.leastShare * (rate / allMembers.length))
}

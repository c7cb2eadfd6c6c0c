import type { StageEvent } from '../../../cache/events.js'
import type { Aggregate, FailureClass, Run } from '../../../cache/records.js'
import type { Holder, RunCounts } from '../../../cache/store.js'
import type { EvalOutcome } from '../../config/settings.js'
import { noteAnswers, type RecentAnswers } from './recent-answers.js'

/** The progress of the three stages, computed from their events. */
export interface ProgressState {
  /** Number of docs per task, if it is known. */
  readonly docsByTask: ReadonlyMap<string, number | undefined>
  /** The tasks whose number of docs is only the maximum that the selection allows. */
  readonly roughTasks: ReadonlySet<string>
  readonly docsRead: number
  readonly newMedia: number
  readonly isInputFinished: boolean
  readonly requests: number
  /** The number of these requests that equal requests of earlier docs, and share their answers. */
  readonly shared: number
  readonly fromStore: number
  readonly answered: number
  readonly failed: Readonly<Partial<Record<FailureClass, number>>>
  /** Requests that could not be created from their docs, by failure class. */
  readonly unmade: Readonly<Partial<Record<FailureClass, number>>>
  /** Docs that other processes answered and failed since this process started on the run. */
  readonly others: { readonly answered: number; readonly failed: number }
  /** Attempts started. */
  readonly sent: number
  /** Failed attempts that count towards `max_retries` and were followed by another one, by failure class. */
  readonly retried: Readonly<Partial<Record<FailureClass, number>>>
  /** Attempts that were rate limited, and how many of these were sent again without counting as a retry. */
  readonly throttled: number
  readonly sentAgain: number
  /** Hedged copies: sent, finished, and answered first. */
  readonly hedges: { readonly sent: number; readonly ended: number; readonly won: number }
  readonly recent?: RecentAnswers | undefined
  /** Maximum requests in flight, and why nothing is sent at the moment, if so. */
  readonly pace?:
    { readonly concurrency: number; readonly standstill?: Standstill; readonly oldestSince?: number } | undefined
  readonly scored: number
  readonly unparsed: number
  readonly empty: number
  readonly unjudged: number
  /** The reason why the first doc has no score. */
  readonly firstReason?: string
  /** Long waits for something outside the program, by its description. Times are monotonic milliseconds. */
  readonly waits: ReadonlyMap<string, { readonly since: number; readonly limitMs?: number }>
  /** Requests in the provider's batches, and how many of them are processed. */
  readonly handedIn?: Omit<Extract<StageEvent, { readonly type: 'batches' }>, 'type'>
  /** Monotonic milliseconds when the command began its work. */
  readonly startedAt?: number | undefined
  /** True if no more requests are started. */
  readonly isEnding?: boolean
  /** Monotonic milliseconds when the first task was opened. */
  readonly askingSince?: number
}

/** A reason why nothing is sent. Times are monotonic milliseconds. */
export interface Standstill {
  readonly why: NonNullable<Extract<StageEvent, { type: 'pace' }>['standstill']>['why']
  readonly message: string
  readonly since: number
  /** The time when the next request is sent, if that is known. */
  readonly until: number
  /** The other processes that hold the leases. */
  readonly holders: readonly Holder[]
}

/** The progress before the first event. */
export const noProgress: ProgressState = {
  docsByTask: new Map(),
  roughTasks: new Set(),
  docsRead: 0,
  newMedia: 0,
  isInputFinished: false,
  requests: 0,
  shared: 0,
  fromStore: 0,
  answered: 0,
  failed: {},
  unmade: {},
  others: { answered: 0, failed: 0 },
  sent: 0,
  retried: {},
  throttled: 0,
  sentAgain: 0,
  hedges: { sent: 0, ended: 0, won: 0 },
  waits: new Map(),
  scored: 0,
  unparsed: 0,
  empty: 0,
  unjudged: 0,
}

/**
 * The progress of a run at the start of a command. It includes what earlier commands did. The number of docs of a task is known when the task is
 * opened; a task that is not opened again was read completely.
 */
export function startingProgress({ asked }: Run, counts: RunCounts): ProgressState {
  const docs = asked.tasks.map(({ name }, index): [string, number | undefined] => {
    const read = counts.docsByTask[index] ?? 0
    return [name, read > 0 || counts.inputFinished ? read : undefined]
  })
  return {
    ...noProgress,
    docsByTask: new Map(docs),
    docsRead: counts.docs,
    isInputFinished: counts.inputFinished,
    requests: counts.items,
    shared: counts.shared,
    fromStore: counts.answered,
  }
}

/** The final state according to the store, including what no event reported. */
export function settledProgress(state: ProgressState, outcome: EvalOutcome): ProgressState {
  const { counts, asked, fromStore, judgement } = outcome
  const whole = judgement?.aggregates?.filter(({ group, of }) => group === undefined && of === undefined)
  const sum = (pick: (aggregate: Aggregate) => number): number | undefined => whole && sumOfTasks(whole, pick)
  // There is no pace after the last request.
  return {
    ...state,
    recent: undefined,
    pace: undefined,
    waits: new Map(),
    isEnding: true,
    sent: 0,
    throttled: 0,
    sentAgain: 0,
    docsRead: counts.docs,
    isInputFinished: counts.inputFinished,
    requests: counts.items,
    shared: 0,
    answered: asked,
    fromStore,
    failed: counts.failed,
    unmade: {},
    others: { answered: 0, failed: 0 },
    scored: sum(({ n }) => n) ?? state.scored,
    unparsed: sum(({ unparsed }) => unparsed) ?? state.unparsed,
    empty: sum(({ empty }) => empty) ?? state.empty,
    unjudged: outcome.unjudged,
  }
}

/** Adds a count over tasks. Metrics of one task have the same docs, so each task counts once. */
function sumOfTasks(whole: readonly Aggregate[], pick: (aggregate: Aggregate) => number): number {
  const byTask = new Map<string, number>()
  for (const aggregate of whole) byTask.set(aggregate.task, Math.max(byTask.get(aggregate.task) ?? 0, pick(aggregate)))
  return [...byTask.values()].reduce((sum, count) => sum + count, 0)
}

/** Returns the state after one event. @param now monotonic milliseconds */
export function advance(state: ProgressState, event: StageEvent, now: number): ProgressState {
  switch (event.type) {
    case 'task-opened':
      return {
        ...state,
        docsByTask: new Map([...state.docsByTask, [event.task, event.docs]]),
        roughTasks: event.isAtMost === true ? new Set([...state.roughTasks, event.task]) : state.roughTasks,
        askingSince: state.askingSince ?? now,
      }
    case 'docs-read':
      return {
        ...state,
        docsRead: state.docsRead + event.docs,
        requests: state.requests + event.requests,
        shared: state.shared + event.shared,
        newMedia: state.newMedia + event.newMedia,
        unmade: event.failed === undefined ? state.unmade : addCounts(state.unmade, event.failed),
      }
    case 'run-counts':
      return withOthers(state, event.counts, now)
    case 'input-finished':
      return { ...state, isInputFinished: true }
    case 'from-store':
      return { ...state, fromStore: state.fromStore + event.requests }
    case 'requests-sent':
      return { ...state, sent: state.sent + event.requests }
    case 'requests-unsent':
      return { ...state, sent: state.sent - event.requests }
    case 'answered':
      return {
        ...state,
        answered: state.answered + event.requests,
        askingSince: state.askingSince ?? now,
        recent: noteAnswers(state.recent ?? recentSince(state), event.requests, now),
      }
    case 'hedge-sent':
    case 'hedge-ended':
      return { ...state, hedges: advanceHedges(state.hedges, event) }
    case 'request-retried':
      return event.isThrottled === true
        ? { ...state, throttled: state.throttled + 1, sentAgain: state.sentAgain + 1 }
        : {
            ...state,
            retried: { ...state.retried, [event.class]: (state.retried[event.class] ?? 0) + 1 },
            throttled: state.throttled + (event.class === 'rate_limited' ? 1 : 0),
          }
    case 'request-failed':
      return {
        ...state,
        failed: { ...state.failed, [event.class]: (state.failed[event.class] ?? 0) + 1 },
        throttled: state.throttled + (event.class === 'rate_limited' ? 1 : 0),
      }
    case 'pace':
      return { ...state, pace: makePace(event, now) }
    case 'docs-scored':
      return {
        ...state,
        scored: state.scored + event.docs,
        unparsed: state.unparsed + event.unparsed,
        empty: state.empty + event.empty,
        unjudged: state.unjudged + event.failed,
        ...(state.firstReason === undefined && event.firstReason !== undefined && { firstReason: event.firstReason }),
      }
    case 'batches':
      return { ...state, handedIn: event }
    case 'wait': {
      const { what, forMs, limitMs } = event
      const wait = { since: now - forMs, ...(limitMs === undefined ? {} : { limitMs }) }
      return { ...state, waits: new Map([...state.waits, [what, wait]]) }
    }
    case 'wait-ended':
      return { ...state, waits: new Map([...state.waits].filter(([what]) => what !== event.what)) }
    case 'note':
      return state
  }
}

const makePace = (
  { concurrency, standstill, oldestMs }: Extract<StageEvent, { readonly type: 'pace' }>,
  now: number,
): ProgressState['pace'] => {
  const pace = { concurrency, ...(oldestMs !== undefined && { oldestSince: now - oldestMs }) }
  if (standstill === undefined) return pace
  const { why, message, forMs, untilMs, holders = [] } = standstill
  return { ...pace, standstill: { why, message, since: now - forMs, until: now + untilMs, holders } }
}

const advanceHedges = (
  { sent, ended, won }: ProgressState['hedges'],
  event: Extract<StageEvent, { readonly type: 'hedge-sent' | 'hedge-ended' }>,
): ProgressState['hedges'] =>
  event.type === 'hedge-sent'
    ? { sent: sent + 1, ended, won }
    : { sent, ended: ended + 1, won: won + (event.isFirst ? 1 : 0) }

/**
 * Attributes the store's counts beyond this process's events to other processes. A fresh commit of this process may be attributed wrongly until the
 * next counts.
 */
function withOthers(state: ProgressState, counts: RunCounts, now: number): ProgressState {
  const answered = Math.max(0, counts.answered - state.fromStore - state.answered)
  const failed = Math.max(0, sumCounts(counts.failed) - sumCounts(state.failed) - sumCounts(state.unmade))
  const more = answered - state.others.answered
  return {
    ...state,
    docsRead: Math.max(state.docsRead, counts.docs),
    requests: Math.max(state.requests, counts.items),
    shared: counts.shared,
    isInputFinished: state.isInputFinished || counts.inputFinished,
    others: { answered, failed },
    ...(more > 0 ? { recent: noteAnswers(state.recent ?? recentSince(state), more, now) } : {}),
  }
}

/** Counts by failure class. */
export type ByClass = ProgressState['failed']

export const sumCounts = (counts: ByClass): number => Object.values(counts).reduce((sum, count) => sum + count, 0)

/** Adds counts class by class. */
export function addCounts(a: ByClass, b: ByClass): ByClass {
  const sums: Partial<Record<FailureClass, number>> = { ...a }
  for (const [name, count] of Object.entries(b) as [FailureClass, number][]) sums[name] = (sums[name] ?? 0) + count
  return sums
}

const recentSince = ({ askingSince }: ProgressState): RecentAnswers | undefined =>
  askingSince === undefined ? undefined : { since: askingSince, answers: 0 }

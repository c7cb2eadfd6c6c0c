/** Figures that follow from the progress: totals, rates and the time that is left. */
import { sumCounts, addCounts, type ByClass, type ProgressState } from './progress-state.js'
import { recentRate } from './recent-answers.js'

/** Returns the number of docs of all tasks, if every opened task reports it. */
export function docsExpected(state: ProgressState): number | undefined {
  if (state.isInputFinished) return state.docsRead
  const docCounts = [...state.docsByTask.values()]
  if (docCounts.length === 0 || docCounts.includes(undefined)) return undefined
  return Math.max(
    state.docsRead,
    docCounts.reduce<number>((sum, docs) => sum + (docs ?? 0), 0),
  )
}

/** Estimates the total number of requests from the requests per doc so far. Docs that share a request count it once. */
export function requestsExpected(state: ProgressState): number | undefined {
  const docs = docsExpected(state)
  const requests = state.requests - state.shared
  if (docs === undefined || state.docsRead === 0) return docs === undefined ? undefined : Math.max(docs, requests)
  return Math.max(requests, Math.round((docs * requests) / state.docsRead))
}

/** Counts failed requests of the run, in any process, including requests that could not be created. */
export const failedRequests = ({ failed, unmade, others }: ProgressState): number =>
  sumCounts(failed) + sumCounts(unmade) + others.failed

/** Counts failures by class, as far as this process saw them. */
export const failuresByClass = ({ failed, unmade }: ProgressState): ByClass => addCounts(failed, unmade)

/** Counts answered requests of the run, whichever process sent them. */
export const answeredRequests = ({ answered, fromStore, others }: ProgressState): number =>
  answered + fromStore + others.answered

export const retries = ({ retried }: ProgressState): number => sumCounts(retried)

/** Recent answers per second, or the average after the end. Undefined before the first answer. */
export const presentRate = (state: ProgressState, now: number): number | undefined =>
  state.recent === undefined ? answerRate(state, now) : recentRate(state.recent, now)

/** Average answers per second since the start. Undefined before the first answer. */
function answerRate(state: ProgressState, now: number): number | undefined {
  const answered = state.answered + state.others.answered
  if (state.askingSince === undefined || answered === 0 || now <= state.askingSince) return undefined
  return (answered * 1000) / (now - state.askingSince)
}

/** Estimates the milliseconds until everything is answered, from the current rate. */
export function timeLeft(state: ProgressState, now: number): number | undefined {
  const perSecond = answerRate(state, now)
  const expected = requestsExpected(state)
  if (state.isEnding === true) return undefined
  // The time at which a provider finishes a batch does not follow from a rate.
  if (perSecond === undefined || expected === undefined || (state.handedIn?.batches ?? 0) > 0) return undefined
  // It is unknown when a server comes back.
  const why = state.pace?.standstill?.why
  if (why === 'outage' || why === 'others') return undefined
  const remainingRequests = expected - answeredRequests(state) - failedRequests(state)
  return remainingRequests <= 0 ? undefined : (remainingRequests * 1000) / perSecond
}

/** Requests in flight, or undefined if the model stage does not report what it sends. */
export function requestsInFlight(state: ProgressState): number | undefined {
  if (state.sent === 0) return undefined
  const hedges = state.hedges.sent - state.hedges.ended
  return Math.max(0, state.sent - state.answered - retries(state) - state.sentAgain - sumCounts(state.failed)) + hedges
}

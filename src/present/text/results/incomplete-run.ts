import { oneLine } from '../../../../base/text/visible-text.js'
import { isPermanent } from '../../../../cache/records.js'
import type { Run } from '../../../../cache/records.js'
import type { ProviderBatch } from '../../../../cache/batches.js'
import type { FailedItem, RunCounts } from '../../../../cache/store.js'
import { isSettled } from '../../../../cache/facts/run-state.js'
import type { Stop } from '../../../../stages/model/budget/budget.js'
import { isImported } from '../../../reading/comparing/align-docs.js'
import type { StoppedSession } from '../../../reading/runs/session-end.js'
import { failedDocs } from '../../../reading/samples/failed-docs.js'
import { formatQuantity, formatCount } from '../../../../base/text/numbers.js'
import { type Paint } from '../layout/paint.js'
import { stoppedText } from '../../../reading/runs/stopped-run.js'
import { clip, displayWidth, padLeft, padRight } from '../layout/width.js'

interface FailureKind {
  readonly label: string
  /** The message of the first of them. */
  readonly message: string
  readonly docs: Set<string>
  items: number
}

/** The state of a run that may be incomplete. */
export interface RunState {
  /** The run. An imported run cannot be resumed. */
  readonly run?: Run
  readonly counts: RunCounts
  readonly failures: readonly FailedItem[]
  /** The reason why no further requests were sent. */
  readonly stopped?: Stop | undefined
  readonly batches?: readonly ProviderBatch[] | undefined
  /** The end of the run's last session, for a reader who was not there. */
  readonly session?: StoppedSession | undefined
}

/**
 * Explains why a run is not complete: failures by class and message with their docs, and how to continue.
 *
 * @param reference how a command names the run and its store
 * @returns no lines for a complete run
 */
export function incompleteRun(reference: string, state: RunState, paint: Paint): string[] {
  const { counts, failures, stopped } = state
  const reasons = incompleteReasons(reference, state, paint)
  if (reasons.length === 0) return []
  if (state.run !== undefined && isImported(state.run)) return reasons
  if (isAllAnswered(state)) return [...reasons, ...howToResume(stopped, [`resume:  pipeline resume ${reference}`])]
  return [
    ...reasons,
    ...howToResume(stopped, [resumeLine(reference, failures, counts)]),
    ...(failures.some(({ failure }) => isUnmade(failure)) && resumeLine(reference, failures, counts) !== mendLine
      ? [`task:    ${mendLine}`]
      : []),
  ]
}

/** The same without how to go on. @returns no lines for a complete run */
export function incompleteReasons(reference: string, state: RunState, paint: Paint): string[] {
  const { counts, failures, stopped, batches, session } = state
  const ended = session === undefined ? [] : [`Stopped ${stoppedText(session)}`]
  // A judge's calls may not have been made.
  if (isAllAnswered(state)) return [...ended, ...stopLines(stopped, counts)]
  return [
    ...ended,
    paint.yellow(`run incomplete: ${missingParts(state).join(' · ')}`),
    ...failureLines(failures, paint, reference).map(line => `  ${line}`),
    ...batchLines(batches),
    ...stopLines(stopped, counts),
  ]
}

/** Returns the missing parts of a run: `7 of 9 docs failed`, `2 of 9 requests not answered yet`. Nothing of a run that is answered. */
export const missingParts = ({ counts, failures }: Pick<RunState, 'counts' | 'failures'>): readonly string[] => [
  ...(failures.length > 0 ? [failedText(failures, counts)] : []),
  ...(counts.pending > 0
    ? [`${formatCount(counts.pending)} of ${formatQuantity(counts.items, 'request')} not answered yet`]
    : []),
  ...(counts.inputFinished ? [] : [`${formatQuantity(counts.docs, 'doc')} read so far, not all`]),
]

const isAllAnswered = ({ counts, failures }: RunState): boolean => failures.length === 0 && isSettled(counts)

/** `7 of 9 docs failed (11 of 17 requests)`: a doc has a request for each choice and sample. */
function failedText(failures: readonly FailedItem[], { docs, items }: RunCounts): string {
  const failed = [...failedDocs(failures).values()].reduce((sum, count) => sum + count, 0)
  const text = `${formatCount(failed)} of ${formatQuantity(docs, 'doc')} failed`
  return docs === items ? text : `${text} (${formatCount(failures.length)} of ${formatQuantity(items, 'request')})`
}

/** `20 of them are in 2 batches at the provider (batch_1, batch_2): resume collects them` */
function batchLines(batches: readonly ProviderBatch[] = []): string[] {
  if (batches.length === 0) return []
  const names = docList(
    batches.map(({ id, name }) => id ?? name),
    3,
  )
  return [`${inBatches(batches)} at the provider (${names}): resume collects them`]
}

const inBatches = (batches: readonly ProviderBatch[]): string =>
  `${formatQuantity(
    batches.reduce((sum, { open }) => sum + open, 0),
    'request',
  )} in ${formatQuantity(batches.length, 'batch', 'batches')}`

/** Explains why no further requests were sent. If requests failed by a limit, the list of failures names it instead. */
function stopLines(stopped: Stop | undefined, { failed }: RunCounts): string[] {
  if (stopped === undefined || (stopped.why === 'budget' && failed.budget !== undefined)) return []
  return [`Stopped${stopWords(stopped)}`]
}

function stopWords({ why, message, access, refused = 0 }: Stop): string {
  const stopText = clip((access?.said ?? message).replace(/\s+/g, ' '), longestMessage)
  if (why === 'budget' || why === 'failures') return ` by ${stopText}`
  if (why === 'away') return `: ${stopText}. The run does not wait longer than 15 min.`
  const first = refused > 1 ? `the first ${numbers[refused] ?? formatCount(refused)} requests` : 'the first request'
  switch (access?.about) {
    case 'key': {
      const variable = access.keyVariable ?? 'the key'
      const set = access.hasKey === true ? `Check ${variable} or api_key=` : `Set ${variable}`
      return `: the server refused ${first} (${stopText}). ${set} and run the same command again.`
    }
    case 'target':
      return `: the server refused ${first} (${stopText}). Fix model= or base_url= and run the same command again.`
    case 'account':
      return `: the account is used up (${stopText}). Run the same command again when it has credit.`
    case 'connection':
      return stopText.includes('the proxy ')
        ? `: ${stopText}. Then run the same command again.`
        : `: no server answers (${stopText}). Start the server or fix base_url=, and run the same command again.`
    case undefined:
      return `: ${stopText}`
  }
}

const numbers = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']

/** `resume` repeats a wrong address, model or key: then the line that said what to fix stands alone. */
const howToResume = (stopped: Stop | undefined, lines: readonly string[]): readonly string[] =>
  stopped?.why === 'access' && stopped.access !== undefined ? [] : lines

/** `2  rate_limited  gave up after 6 tries  mmmu_val/17, mmmu_val/301`, the most frequent first. */
function failureLines(failures: readonly FailedItem[], paint: Paint, reference: string): string[] {
  const failureKinds = [...groupFailures(failures)].sort((a, b) => b.items - a.items)
  const [kinds, others] = [failureKinds.slice(0, mostKinds), failureKinds.slice(mostKinds)]
  const numberWidth = Math.max(0, ...kinds.map(kind => formatCount(kind.items).length))
  const classWidth = Math.max(0, ...kinds.map(kind => kind.label.length))
  const widths = kinds.map(kind => displayWidth(kind.message)).filter(width => width <= besideDocs)
  const messageWidth = Math.max(0, ...widths)
  const more = others.length === 0 ? [] : [othersLine(others, reference)]
  const lines = kinds.flatMap(kind => {
    const line = `${padLeft(formatCount(kind.items), numberWidth)}  ${paint.red(padRight(kind.label, classWidth))}  `
    const docs = docList([...kind.docs])
    return displayWidth(kind.message) > besideDocs
      ? [line + kind.message, `${' '.repeat(numberWidth + classWidth + 4)}${docs}`]
      : [`${line}${padRight(kind.message, messageWidth)}   ${docs}`]
  })
  return [...lines, ...more]
}

const mostKinds = 20

const othersLine = (others: readonly FailureKind[], reference: string): string =>
  `… and ${formatCount(others.reduce((sum, { items }) => sum + items, 0))} for other reasons: pipeline report ${reference} --samples failed`

/** A longer message gets a separate line, because its end often tells the remedy. */
const besideDocs = 72
const longestMessage = 400

/** Tells whether the task's code or templates failed to make a request from the doc. */
const isUnmade = ({ class: name, attempts }: FailedItem['failure']): boolean =>
  name === 'invalid_request' && attempts === 0

function groupFailures(failures: readonly FailedItem[]): Iterable<FailureKind> {
  const kinds = new Map<string, FailureKind>()
  for (const { task, doc, failure } of failures) {
    const name = `${task}/${doc}`
    const failureText = failure.message.replace(/\s+/g, ' ')
    // Line breaks are replaced, because the docs follow on the same line.
    const message = failureText.startsWith(`${name}: `) ? failureText.slice(name.length + 2) : failureText
    const label = isUnmade(failure) ? 'task' : failure.class
    const id = `${label} ${clip(label === 'task' ? message : withoutNumbers(message), besideDocs)}`
    const kind = kinds.get(id) ?? { label, message: clip(message, longestMessage), docs: new Set(), items: 0 }
    kind.docs.add(name)
    kind.items += 1
    kinds.set(id, kind)
  }
  return kinds.values()
}

/** Removes numbers that differ between messages of a server, such as ids or tokens, so that they count as one reason; a status stays. */
const withoutNumbers = (message: string): string => message.replace(/(?<!^)\b\w*\d\w*/g, '0')

/** The first few by name, the rest by number. */
export function docList(docs: readonly string[], most = 5): string {
  const names = docs.slice(0, most).map(oneLine).join(', ')
  return docs.length > most ? `${names}, … and ${formatCount(docs.length - most)} more` : names
}

/** Another task is another run. */
const mendLine = 'Fix the task and run the same command again. Valid answers are reused.'

function resumeLine(reference: string, failures: readonly FailedItem[], counts: RunCounts): string {
  const { command, advice } = howToGoOn(reference, failures, counts)
  if (command === undefined) return advice ?? ''
  return advice === undefined ? `resume:  ${command}` : `resume:  ${command}          ${advice}`
}

/**
 * Returns the command that continues an unanswered run.
 *
 * @returns no command if the task must change, which makes another run. `retriesFailed`: the command also retries permanent failures
 */
export function howToGoOn(
  reference: string,
  failures: readonly FailedItem[],
  counts: RunCounts,
): { readonly command?: string; readonly advice?: string; readonly retriesFailed?: true } {
  const isForGood = ({ failure }: FailedItem): boolean => isPermanent(failure) && !isUnmade(failure)
  const command = `pipeline resume ${reference}`
  const isTaskAlone = isSettled(counts) && failures.every(({ failure }) => isUnmade(failure))
  if (isTaskAlone) return { advice: mendLine }
  if (!failures.some(isForGood)) return { command }
  const opensAgain = !isSettled(counts) || !failures.every(isForGood)
  return opensAgain
    ? { command, advice: 'also what was refused for good:  --retry-failed' }
    : { command: `${command} --retry-failed`, retriesFailed: true }
}

/** `interrupted: 612 of 900 answered, all kept.   resume:  pipeline resume calm-heron-19c2` */
export function interruptedLine(reference: string, counts: RunCounts, batches: readonly ProviderBatch[] = []): string {
  const of = counts.inputFinished ? formatCount(counts.items) : `at least ${formatCount(counts.items)}`
  const elsewhere = batches.length === 0 ? '' : ` ${inBatches(batches)} at the provider.`
  return `interrupted: ${formatCount(counts.answered)} of ${of} answered, all kept.${elsewhere}   resume:  pipeline resume ${reference}`
}

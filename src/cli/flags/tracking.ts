/** Sends results to trackers, and prints the outcome. */
import { oneLine, visibleText } from '../../../base/text/visible-text.js'
import type { OpenedRun, Store } from '../../../cache/store.js'
import type { NamedTracker } from '../../config/options/track-options.js'
import { secretTexts } from '../../config/secrets.js'
import { readDestinations, type Destination } from '../../tracking/destinations.js'
import { namedTrackers } from '../../tracking/named-trackers.js'
import { sendRun, type TrackOutcome } from '../../tracking/track-run.js'
import type { Tools } from '../command.js'
import type { Terminal } from '../display/terminal.js'
import { spellReferences } from '../../../base/errors/option-words.js'
import { commandLine } from '../command-line-words.js'
import type { EvaluationFlags } from './evaluation-options.js'
import { storeFlag } from './store-flag.js'

/** The trackers that a command sends results to. */
export interface Tracking {
  readonly destinations: readonly Destination[]
  readonly python?: string
  /** True to send results again that the tracker already has. */
  readonly again?: boolean
}

/** Keeps tokens and passwords of trackers from being shown. */
export function maskTrackers(trackers: readonly NamedTracker[], terminal: Terminal): void {
  for (const { given } of trackers)
    terminal.mask(
      typeof given !== 'string'
        ? secretTexts(given)
        : [
            ...secretTexts(given.replace(/^[a-z_]+=(?=[a-z]+:)/i, '')),
            ...[...given.matchAll(/(?:key|token|secret|password)["']?\s*[=:]\s*["']?([^,"'}]+)/gi)].map(
              ([, text = '']) => text,
            ),
          ],
    )
}

/** Reads the trackers of a command without a configuration file. @throws PipelineError for wrong settings */
export function readTracking(flags: EvaluationFlags, { terminal, env }: Tools): Tracking {
  const trackers = namedTrackers(flags, {})
  maskTrackers(trackers, terminal)
  return {
    destinations: readDestinations(trackers, env),
    ...(flags.python !== undefined && { python: flags.python }),
  }
}

/** Sends a run, and tells where it is now. Nothing that a tracker does makes a run fail. */
export async function sendTracked(
  store: Store,
  opened: OpenedRun,
  { destinations, python, again = false }: Tracking,
  {
    tools: { terminal, env },
    flags,
    signal,
  }: { readonly tools: Tools; readonly flags: { readonly quiet?: boolean }; readonly signal: AbortSignal },
): Promise<readonly TrackOutcome[]> {
  if (opened.judgement?.aggregates === undefined) {
    terminal.tell(`note: ${opened.run.name} has no scores yet, and is sent to no tracker`)
    return []
  }
  const outcomes = await sendRun(store, opened, destinations, {
    env,
    signal,
    again,
    ...(python !== undefined && { python }),
  })
  const line = `pipeline track ${opened.run.name}${storeFlag(store.location, env)}`
  for (const outcome of outcomes) terminal.tell(outcomeLines(outcome, line, flags.quiet === true))
  return outcomes
}

const stateWords = { sent: 'sent', updated: 'updated', unchanged: 'is there already' } as const

function outcomeLines(
  { tracker, state, where = '', problem = '', notes }: TrackOutcome,
  line: string,
  isQuiet: boolean,
) {
  if (state === 'failed')
    return [
      `not sent to ${tracker}: ${plain(spellReferences(problem, commandLine))}`,
      `  The run is complete without it. Send it again:  ${line} --to ${tracker}=…`,
    ]
  return isQuiet ? [] : [`${tracker}: ${stateWords[state]}   ${where}`, ...notes.map(note => `  ${plain(note)}`)]
}

/** Puts on one line what servers and packages say, which may not act on the terminal. */
const plain = (text: string): string => oneLine(visibleText(text))

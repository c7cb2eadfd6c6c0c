/**
 * Stores why the last session of a run ended before the run was complete. A session is one command or job that works on the run.
 *
 * The record is a value of the store, so that older versions of the program can still open the store. While a session runs, the record says that it
 * has begun. A killed session leaves that record.
 */
import { z } from 'zod'
import type { Run } from '../../../cache/records.js'
import type { Store } from '../../../cache/store.js'
import { realClock } from '../../clock.js'

/** The reasons for which a session can end before its run is complete. */
export const stopCodes = [
  /** Ctrl-C, a signal, or a cancelled job. */
  'interrupted',
  /** `--max-time`. */
  'time',
  /** A limit of requests, tokens or money. */
  'budget',
  /** `--fail-fast`. */
  'too_many_failures',
  /** The judge model failed too often, failed a control question, or was refused. */
  'judge_stopped',
  /** The server rejects the key, or does not know the address or the model. */
  'model_refused',
  'account_exhausted',
  'unreachable',
  /** The server asks for a longer wait than a run waits. */
  'server_busy',
  /** The docs of a task could not be read. */
  'input_error',
  'store_full',
  /** Any other error that ended the session. */
  'failed',
  /** All requests were sent. Some failed, or answers could not be scored. */
  'requests_failed',
  /** Only the docs were to be read. */
  'docs_only',
  /** Requests are left although nothing stopped the session, for example because another process held them. */
  'requests_left',
  /** The process ended without writing a reason. */
  'killed',
] as const

export type StopCode = (typeof stopCodes)[number]

export interface StopReason {
  readonly code: StopCode
  /** One sentence without secrets, on one line. */
  readonly message: string
}

export interface StoppedSession extends StopReason {
  /** The time when the session ended, in milliseconds since 1970. Of a process that was killed, the time of its last known answer. */
  readonly at: number
}

/** A run that was removed and made again is another one. */
const recordSchema = z.object({
  v: z.literal(1),
  of: z.number(),
  at: z.number(),
  // A newer program may know more reasons.
  ended: z.object({ code: z.enum(stopCodes).catch('failed'), message: z.string() }).optional(),
})

type Values = Pick<Store, 'values'>

const makeSessionKey = ({ id }: Pick<Run, 'id'>): string => `session ${id}`

/** Notes that a session works on the run. */
export const beginSession = ({ values }: Values, run: Run): Promise<void> =>
  values.set(makeSessionKey(run), { v: 1, of: run.createdAt, at: realClock.wallNow() })

/** Notes how a session ended. @param reason absent if nothing is left to do */
export async function endSession({ values }: Values, run: Run, reason: StopReason | undefined): Promise<void> {
  if (reason !== undefined) {
    const { code, message } = reason
    await values.set(makeSessionKey(run), {
      v: 1,
      of: run.createdAt,
      at: realClock.wallNow(),
      ended: { code, message },
    })
  } else if ((await values.get(makeSessionKey(run))) !== undefined) await values.set(makeSessionKey(run), undefined)
}

const withoutMessage = 'Its process ended without a message: it was killed, or the machine stopped.'

/**
 * Reads why the last session of an incomplete run ended.
 *
 * @returns undefined while a process works on the run, and for a run whose sessions left no record: of an older version, or imported
 */
export async function stoppedSession(
  { runs, values }: Pick<Store, 'runs' | 'values'>,
  run: Run,
): Promise<StoppedSession | undefined> {
  const record = recordSchema.safeParse(await values.get(makeSessionKey(run))).data
  if (record?.of !== run.createdAt || (await runs.isWorkedOnElsewhere(run))) return undefined
  if (record.ended !== undefined) return { ...record.ended, at: record.at }
  const { lastAnswerAt = 0 } = await runs.progress(run)
  return { code: 'killed', message: withoutMessage, at: Math.max(record.at, lastAnswerAt) }
}

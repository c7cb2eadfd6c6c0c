import type { Judgement, Run } from '../../../cache/records.js'
import type { Store } from '../../../cache/store.js'
import { writeHarnessLog } from './harness-log.js'
import { writeInspectLogs } from './inspect-log.js'

/** The tools whose logs can be written. */
export const logFormats = ['inspect', 'lmms-eval', 'lm-eval'] as const
export type LogFormat = (typeof logFormats)[number]

/**
 * Writes a run as another tool writes it, so that its readers and viewers open it.
 *
 * @returns the files
 */
export const writeLogs = (
  format: LogFormat,
  store: Store,
  subject: { readonly run: Run; readonly judgement?: Judgement | undefined },
  folder: string,
): Promise<readonly string[]> =>
  format === 'inspect'
    ? writeInspectLogs(store, { run: subject.run, judgement: subject.judgement }, folder)
    : writeHarnessLog(format, store, subject, folder)

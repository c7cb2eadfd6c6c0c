import type { Judgement, Run } from '../../../cache/records.js'
import type { Store } from '../../../cache/store.js'
import { writeDataset } from './datasets/write-dataset.js'
import { writeHarnessLog } from './harness-log.js'
import { writeInspectLogs } from './inspect-log.js'

/** The tools whose logs can be written and imported again. */
export const logFormats = ['inspect', 'lmms-eval', 'lm-eval'] as const

/** The formats in which a run can be written: a log of another tool, or a dataset of the Hugging Face Hub. */
export const exportFormats = [...logFormats, 'datasets'] as const
/** The formats in which a run can be exported. */
export type ExportFormat = (typeof exportFormats)[number]

/**
 * Writes a run in the format of another tool, for that tool's readers and viewers.
 *
 * @returns the paths of the written files
 */
export const writeLogs = (
  format: ExportFormat,
  store: Store,
  subject: { readonly run: Run; readonly judgement?: Judgement | undefined },
  folder: string,
): Promise<readonly string[]> =>
  format === 'datasets'
    ? writeDataset(store, subject, folder)
    : format === 'inspect'
      ? writeInspectLogs(store, { run: subject.run, judgement: subject.judgement }, folder)
      : writeHarnessLog(format, store, subject, folder)

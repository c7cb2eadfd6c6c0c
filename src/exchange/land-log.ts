/** Stores the logs of other tools as runs. */
import { createReadStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { PipelineError } from '../../base/errors/errors.js'
import { shownPath } from '../../base/files/shown-path.js'
import { canonicalJson, type Json } from '../../base/values/canonical-json.js'
import { makeImportFolder } from '../../cache/bundle/import.js'
import type { ImportOutcome, OnConflict, PortableStore } from '../../cache/bundle/portable.js'
import { streamingSha256, type RunKey } from '../../cache/digest.js'
import type { Store } from '../../cache/store.js'
import type { ForeignLog, ForeignTask } from './foreign-log.js'
import { logDigest } from './imported-doc.js'
import { MessageIntake } from './imported-media.js'
import { RunDraft } from './run-draft.js'
import type { ScoreDifference } from './imported-scores.js'

/** The result of importing one model's tasks of a log. */
export interface LandedRun {
  readonly outcome: ImportOutcome
  readonly tool: string
  readonly docs: number
  /** The numbers that the log reports and its samples do not give. */
  readonly differences: readonly ScoreDifference[]
  /** Remarks about the log for the user, one sentence for each task with a note. */
  readonly notes: readonly string[]
}

type WholeStore = Pick<Store, 'runs'> & PortableStore

/**
 * Stores a log as one run for each model that it holds. The whole log is read before the store changes, so that a damaged
 * log imports nothing. Importing it again changes nothing.
 *
 * @throws PipelineError with file and line if the log is damaged
 */
export async function landLog(
  store: WholeStore,
  log: ForeignLog,
  { onConflict = 'refuse' }: { readonly onConflict?: OnConflict } = {},
): Promise<readonly LandedRun[]> {
  const folder = await makeImportFolder(store.workFolder)
  try {
    const about = {
      tool: log.tool,
      ...(log.toolVersion === undefined ? {} : { toolVersion: log.toolVersion }),
      digest: logDigest(await Promise.all(log.files.map(computeFileDigest)), log.reading),
      ...(log.config !== undefined && { config: log.config }),
      ...(log.groups !== undefined && { groups: log.groups }),
      files: log.files,
      modified: Math.max(...(await Promise.all(log.files.map(async file => Math.floor((await stat(file)).mtimeMs))))),
      intake: new MessageIntake(store.media, log.files),
    }
    const drafts = new Map<string, RunDraft>()
    for await (const task of log.tasks()) {
      const key = modelKey(task)
      const draft = drafts.get(key) ?? new RunDraft(about, task, join(folder, String(drafts.size)))
      drafts.set(key, draft)
      await draft.addTask(task)
    }
    if (drafts.size === 0)
      throw new PipelineError('bundle', `${log.files.map(shownPath).join(', ')}: the log holds no task with samples`)
    const landed: LandedRun[] = []
    for (const draft of drafts.values()) {
      const { run, docs, differences, notes } = await draft.finish(id => readCreatedAt(store, id))
      landed.push({ outcome: await store.importRun(run, onConflict), tool: log.tool, docs, differences, notes })
    }
    return landed
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Reads the time of an earlier import of the same log. A log without a time gets its file's time, which a copy of the file would change. */
const readCreatedAt = async (store: WholeStore, id: RunKey): Promise<number | undefined> =>
  (await store.runs.find(id))?.createdAt

const modelKey = ({ model, modelArgs = {} }: ForeignTask): string => canonicalJson([model ?? null, modelArgs] as Json)

async function computeFileDigest(file: string): Promise<string> {
  const hash = streamingSha256<'file'>()
  for await (const bytes of createReadStream(file, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>)
    hash.update(bytes)
  return hash.digest()
}

/** Reads the answers that processes of this machine left in files when they ended while the store could not be written. */
import { rmdirSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { systemCode } from '../../base/errors/errors.js'
import type { RowSum } from '../rows/sums.js'
import type { RunKey } from '../digest.js'
import type { ResponseBody, ResponseMeta, Run } from '../records.js'
import type { DraftDoc, StoredAnswer } from '../store.js'
import {
  endedName,
  sumOfLine,
  type KeyedAnswer,
  type OwnerKey,
  type SpillHeader,
  type SpillLine,
  type WaitingItem,
} from './answer-spill.js'
import { listFiles, type WaitingPlace } from './places.js'

/** The maximum number of answers of one transaction, and their size in characters. */
const most = { answers: 200, characters: 8 * 2 ** 20 }

/** The operations of a store for answers that waited. */
export interface AnswerReceiver {
  readonly sum: RowSum
  /** Tells whether the process that wrote a file lives, and stores its answers itself. */
  readonly isAlive: (owner: OwnerKey) => Promise<boolean>
  /** Stores answers in one transaction. @returns the number of those that were missing */
  readonly store: (answers: readonly KeyedAnswer[]) => Promise<number>
  /** Finds a run by its key. */
  readonly findRun: (key: RunKey) => Promise<Run | undefined>
  /** Stores an answer as an item of a run. See `RequestStore.keepAnswer`. */
  readonly keep: (run: Run, doc: DraftDoc, answer: StoredAnswer) => Promise<unknown>
}

/**
 * Stores the answers in the files of ended processes, and removes these files. Stored answers and incomplete lines are skipped.
 *
 * @returns the number of answers that were missing in the store
 */
export async function recoverAnswers(places: readonly WaitingPlace[], receiver: AnswerReceiver): Promise<number> {
  let storedAnswers = 0
  for (const place of places) {
    const files = listFiles(place)
    for (const file of files) {
      const count = await recoverFile(file, receiver)
      if (count === undefined) continue
      storedAnswers += count
      rmSync(file, { force: true })
    }
    if (place.isTemporary && files.length > 0) removeIfEmpty(place.folder)
  }
  return storedAnswers
}

/** Leaves no empty folder among the system's temporary files. */
function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    if (!/^(ENOTEMPTY|EEXIST|ENOENT)$/.test(systemCode(error) ?? '')) throw error
  }
}

/** @returns undefined where the process that wrote the file lives and stores its answers itself */
async function recoverFile(file: string, receiver: AnswerReceiver): Promise<number | undefined> {
  await using opened = await open(file).catch((error: unknown) => {
    // Another process has stored its answers and removed it.
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  })
  if (opened === undefined) return 0
  let isRead = false
  let storedAnswers = 0
  let batch: SpillLine[] = []
  let characters = 0
  for await (const text of opened.readLines()) {
    const line = parseLine(text)
    if (!isRead) {
      isRead = true
      // The file is empty, or of another format.
      if (line === undefined || !('owner' in line)) break
      if (!file.endsWith(endedName) && (await receiver.isAlive(line.owner))) return undefined
      continue
    }
    if (line === undefined || 'owner' in line || sumOfLine(receiver, line) !== line.sum) continue
    if (line.item !== undefined) {
      storedAnswers += await keepItem(line, receiver)
      continue
    }
    batch.push(line)
    characters += text.length
    if (batch.length < most.answers && characters < most.characters) continue
    storedAnswers += await receiver.store(batch)
    batch = []
    characters = 0
  }
  return storedAnswers + (batch.length === 0 ? 0 : await receiver.store(batch))
}

/** @returns 1, or 0 if the run was removed */
async function keepItem({ item = '', body, meta }: KeyedAnswer, { findRun, keep }: AnswerReceiver): Promise<number> {
  // The line's checksum holds, so a store wrote these texts.
  const { run: key, doc } = JSON.parse(item) as WaitingItem
  const run = await findRun(key)
  if (run === undefined) return 0
  await keep(run, doc, { body: JSON.parse(body) as ResponseBody, meta: JSON.parse(meta) as ResponseMeta })
  return 1
}

/** The last line of a process that was killed may be cut off. */
function parseLine(text: string): SpillHeader | SpillLine | undefined {
  try {
    return JSON.parse(text) as SpillHeader | SpillLine
  } catch {
    return undefined
  }
}

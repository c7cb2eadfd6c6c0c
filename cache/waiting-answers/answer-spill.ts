/** Files of this machine with the answers that wait for a store that cannot be written. They outlive the process. */
import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf, PipelineError } from '../../base/errors/errors.js'
import type { AnswerDigest, ResponseKey, RunKey } from '../digest.js'
import type { RowSum } from '../rows/sums.js'
import type { DraftDoc } from '../store.js'
import { makePlace, type WaitingPlace } from './places.js'

/** The facts that tell a process from all others. */
export interface OwnerKey {
  readonly host: string
  readonly boot: string
  readonly pid: number
  readonly start: string
}

/** The first line of a file: the process that wrote it. */
export interface SpillHeader {
  readonly format: 1
  readonly owner: OwnerKey
}

/** An answer with the key of its request, since the numbers of rows may change. */
export interface KeyedAnswer {
  readonly key: ResponseKey
  readonly digest: AnswerDigest
  readonly body: string
  readonly meta: string
  /** The {@link WaitingItem} as JSON. Absent if the request of the answer is in the store. */
  readonly item?: string
}

/** The item of an answer that is stored together with its request, such as a judge's reply. */
export interface WaitingItem {
  readonly run: RunKey
  readonly doc: DraftDoc
}

/** A line of a file. */
export interface SpillLine extends KeyedAnswer {
  readonly sum: number
}

/** The byte range of an answer in a file. */
export interface SpillRange {
  readonly file: SpillFile
  readonly offset: number
  readonly length: number
}

interface SpillFile {
  readonly path: string
  readonly descriptor: number
  size: number
  /** The number of its answers that are not stored yet. */
  waiting: number
}

/** The end of the name of a file whose process writes nothing more to it. */
export const endedName = '.ended.jsonl'

export const sumOfLine = ({ sum }: { readonly sum: RowSum }, { key, digest, body, meta, item }: KeyedAnswer): number =>
  sum('waiting-answer', key, digest, body, meta, ...(item === undefined ? [] : [item]))

/** The files of this process. Each is made with its first answer, and removed when all of its answers are stored. */
export class AnswerSpill {
  readonly #places: readonly WaitingPlace[]
  readonly #owner: () => OwnerKey
  readonly #sum: RowSum
  readonly #files = new Map<WaitingPlace, SpillFile>()

  /** @param places the folders in order of preference. The next one is used if a disk is full */
  constructor(
    places: readonly WaitingPlace[],
    { owner, sum }: { readonly owner: () => OwnerKey; readonly sum: RowSum },
  ) {
    this.#places = places
    this.#owner = owner
    this.#sum = sum
  }

  /** Appends an answer to a file. @throws the system's error if no folder can be written, such as on full disks */
  append(answer: KeyedAnswer): SpillRange {
    const line: SpillLine = { ...answer, sum: sumOfLine({ sum: this.#sum }, answer) }
    const text = `${JSON.stringify(line)}\n`
    let met: unknown
    for (const place of this.#places) {
      try {
        const file = this.#files.get(place) ?? this.#create(place)
        const range = writeLine(file, text)
        file.waiting += 1
        return range
      } catch (error) {
        met ??= error
      }
    }
    throw met
  }

  /** @throws PipelineError (store) if the file was changed or cannot be read */
  read({ file, offset, length }: SpillRange): KeyedAnswer {
    try {
      const bytes = Buffer.allocUnsafe(length)
      readSync(file.descriptor, bytes, 0, length, offset)
      const line = JSON.parse(bytes.toString('utf8')) as SpillLine
      if (sumOfLine({ sum: this.#sum }, line) === line.sum) return line
      throw new Error('its checksum is wrong')
    } catch (error) {
      throw new PipelineError('store', `an answer that waits in ${file.path} can't be read: ${messageOf(error)}`, {
        cause: error,
      })
    }
  }

  /** Notes that an answer of a file is stored. */
  forget({ file }: SpillRange): void {
    file.waiting -= 1
    if (file.waiting > 0) return
    for (const [place, open] of this.#files) if (open === file) this.#files.delete(place)
    closeSync(file.descriptor)
    rmSync(file.path, { force: true })
  }

  /** Closes the files. Answers that are not stored stay in them for the next process, even while this one lives. */
  close(): void {
    for (const { path, descriptor } of this.#files.values()) {
      closeSync(descriptor)
      renameSync(path, path.replace(/\.jsonl$/, endedName))
    }
    this.#files.clear()
  }

  #create(place: WaitingPlace): SpillFile {
    makePlace(place)
    const path = join(place.folder, `${randomUUID()}.jsonl`)
    const descriptor = openSync(path, 'wx+', 0o600)
    const file = { path, descriptor, size: 0, waiting: 0 }
    const header: SpillHeader = { format: 1, owner: this.#owner() }
    try {
      writeLine(file, `${JSON.stringify(header)}\n`)
    } catch (error) {
      closeSync(descriptor)
      rmSync(path, { force: true })
      throw error
    }
    this.#files.set(place, file)
    return file
  }
}

/** A line that was written in part is overwritten by the next one. */
function writeLine(file: SpillFile, text: string): SpillRange {
  const bytes = Buffer.from(text)
  for (let done = 0; done < bytes.length;)
    done += writeSync(file.descriptor, bytes, done, bytes.length - done, file.size + done)
  const range = { file, offset: file.size, length: bytes.length }
  file.size += bytes.length
  return range
}

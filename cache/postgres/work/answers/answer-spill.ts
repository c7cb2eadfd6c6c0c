/** A file of this machine with the answers that wait for a server that is away. They outlive the process. */
import { randomUUID } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf, PipelineError } from '../../../../base/errors/errors.js'
import type { RowSum } from '../../../rows/sums.js'
import type { OwnerKey } from '../../connection/owners.js'
import type { KeyedAnswer } from './answers.js'

/** The first line of a file: the process that wrote it. */
export interface SpillHeader {
  readonly format: 1
  readonly owner: OwnerKey
}

/** A line of a file: an answer with the key of its request, since the numbers of rows may change. */
export interface SpillLine extends KeyedAnswer {
  readonly sum: number
}

/** The byte range of an answer in the file. */
export interface SpillRange {
  readonly offset: number
  readonly length: number
}

/** Returns the folder of the files of one store. @param store the store's own mark */
export const findSpillFolder = (workFolder: string, store: string): string => join(workFolder, 'waiting-answers', store)

export const sumOfLine = ({ sum }: { readonly sum: RowSum }, { key, digest, body, meta }: KeyedAnswer): number =>
  sum('waiting-answer', key, digest, body, meta)

/** The file of this process. It is made with the first answer, and removed when all of its answers are stored. */
export class AnswerSpill {
  readonly #folder: string
  readonly #owner: () => OwnerKey
  readonly #sum: RowSum
  #open: { readonly file: string; readonly descriptor: number } | undefined
  #size = 0
  #waiting = 0

  constructor(folder: string, { owner, sum }: { readonly owner: () => OwnerKey; readonly sum: RowSum }) {
    this.#folder = folder
    this.#owner = owner
    this.#sum = sum
  }

  /** Appends an answer to the file. @throws the system's error if the disk is full */
  append(answer: KeyedAnswer): SpillRange {
    this.#open ??= this.#create()
    const { key, digest, body, meta } = answer
    const line: SpillLine = { key, digest, body, meta, sum: sumOfLine({ sum: this.#sum }, answer) }
    const range = this.#write(this.#open.descriptor, `${JSON.stringify(line)}\n`)
    this.#waiting += 1
    return range
  }

  /** @throws PipelineError (store) if the file was changed or cannot be read */
  read({ offset, length }: SpillRange): KeyedAnswer {
    const { file, descriptor } = this.#open ?? { file: this.#folder, descriptor: -1 }
    try {
      const bytes = Buffer.allocUnsafe(length)
      readSync(descriptor, bytes, 0, length, offset)
      const line = JSON.parse(bytes.toString('utf8')) as SpillLine
      if (sumOfLine({ sum: this.#sum }, line) === line.sum) return line
      throw new Error('its checksum is wrong')
    } catch (error) {
      throw new PipelineError('store', `an answer that waits in ${file} can't be read: ${messageOf(error)}`, {
        cause: error,
      })
    }
  }

  /** Notes that an answer of the file is stored. */
  forget(): void {
    this.#waiting -= 1
    if (this.#waiting > 0) return
    const file = this.#open?.file
    this.#close()
    if (file !== undefined) rmSync(file, { force: true })
  }

  /** Closes the file. Answers that are not stored stay in it for the next process. */
  close(): void {
    this.#close()
  }

  #create(): { readonly file: string; readonly descriptor: number } {
    mkdirSync(this.#folder, { recursive: true })
    const file = join(this.#folder, `${randomUUID()}.jsonl`)
    const descriptor = openSync(file, 'wx+', 0o600)
    this.#size = 0
    const header: SpillHeader = { format: 1, owner: this.#owner() }
    this.#write(descriptor, `${JSON.stringify(header)}\n`)
    return { file, descriptor }
  }

  #write(descriptor: number, text: string): SpillRange {
    const bytes = Buffer.from(text)
    // A line that was written in part is overwritten by the next one.
    for (let done = 0; done < bytes.length;)
      done += writeSync(descriptor, bytes, done, bytes.length - done, this.#size + done)
    const range = { offset: this.#size, length: bytes.length }
    this.#size += bytes.length
    return range
  }

  #close(): void {
    if (this.#open !== undefined) closeSync(this.#open.descriptor)
    this.#open = undefined
  }
}

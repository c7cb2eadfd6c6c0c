import { open, rm, stat } from 'node:fs/promises'
import { BufferPool } from '../../../base/collections/buffer-pool.js'
import { messageOf, systemCode } from '../../../base/errors/errors.js'
import { fileTrouble } from '../../../base/files/files.js'
import { RecentMap } from '../../../base/collections/recent-map.js'
import { sha256 } from '../../../cache/digest.js'
import { ChangedFileError } from '../../../cache/file-pieces.js'
import type { MediaPart } from '../../../cache/records.js'
import type { FileContent, MediaStore, MediumInfo, SourceFile } from '../../../cache/store.js'
import { isAddress } from '../datasets/locate/addresses.js'
import type { MediaFiles } from '../datasets/media/media-files.js'
import { isEditedMedium, isStoredMedium, type ShownMedium } from '../render/visuals.js'
import type { EditedMedium, MediumSource } from '../tasks/doc.js'
import { checkMedium } from './media-check.js'
import { bytesAndPath, MediumError, readMedium } from './read-medium.js'

/** A stored medium, and the file that it came from, if any. */
interface TakenMedium {
  readonly part: MediaPart
  readonly file?: SourceFile
}

export interface MediaIntake {
  /**
   * Stores a medium and returns the part of a message that refers to it.
   *
   * @throws MediumError
   */
  add(source: ShownMedium): Promise<TakenMedium>
  /** The number of media that were not in the store before. */
  newMedia(): number
}

/** Maximum bytes of files that are in memory while they are read. */
const mostRead = 64 * 2 ** 20
/** Files whose part is kept in memory, since consecutive docs often share one. */
const remembered = 4_096

/** Stores media. `files` resolves paths. */
export function openMediaIntake(
  store: Pick<MediaStore, 'addBytes' | 'addFile' | 'read'>,
  files: MediaFiles,
): MediaIntake {
  const parts = new RecentMap<string, Promise<TakenMedium>>(remembered)
  // A file that was removed is still shown by its path, for example as an example of every doc.
  const removed = new Map<string, Promise<TakenMedium>>()
  const buffers = new BufferPool(mostRead)
  let fresh = 0
  const stored = (info: MediumInfo, type: MediaPart['type']): MediaPart => {
    if (info.isNew) fresh++
    return { type, media: info.digest }
  }
  const locate = async (name: string): Promise<TakenMedium> => {
    const file = await files.locate(name).catch(refuseFile(name))
    if (file === undefined) throw new MediumError(`no file ${name}`)
    const taken = await addFile(file, name)
    return isAddress(name) ? { ...taken, part: { ...taken.part, url: name } } : taken
  }
  const addTemporary = async (path: string): Promise<TakenMedium> => {
    const bytes = await readMedium(path, { locate: name => Promise.resolve(name) })
    const part = stored(await store.addBytes(bytes), kindOf(bytes, path))
    await rm(path, { force: true })
    return { part }
  }
  const addFile = async (path: string, name: string): Promise<TakenMedium> => {
    const source = await readSourceFile(path, name, buffers)
    try {
      const type = kindOf(source.beginning, name, source.size)
      const part = stored(await store.addFile(path, source.content).catch(refuseChanged), type)
      return { part, file: { path, digest: part.media } }
    } finally {
      source.letGo()
    }
  }
  return {
    newMedia: () => fresh,
    async add(source) {
      if (isStoredMedium(source)) return { part: source }
      if (isEditedMedium(source)) {
        const edited = await editedBytes(source, { files, store })
        return { part: stored(await store.addBytes(edited), kindOf(edited, 'the changed medium')) }
      }
      const { bytes, path } = bytesAndPath(source)
      const name = path ?? 'the medium'
      if (bytes !== undefined) {
        const type = kindOf(bytes, name)
        return { part: stored(await store.addBytes(bytes), type) }
      }
      if (path === undefined)
        throw new MediumError('the doc has no medium where the task shows one: neither bytes nor a path')
      const known = removed.get(path) ?? parts.get(path)
      if (known !== undefined) return known
      const isTemporary = files.isTemporary?.(path) === true
      const file = isTemporary ? addTemporary(path) : locate(path)
      const seen = isTemporary ? removed : parts
      seen.set(path, file)
      return file
    },
  }
}

/**
 * Checks a medium as ingestion would, and stores nothing.
 *
 * @throws MediumError where it is missing or broken.
 */
export async function checkMediumSource(source: ShownMedium, files: MediaFiles): Promise<void> {
  const nothingStored: Pick<MediaStore, 'addBytes' | 'addFile' | 'read'> = {
    addBytes: bytes => Promise.resolve({ digest: sha256(bytes), bytes: bytes.byteLength, isNew: false }),
    addFile: path => Promise.resolve({ digest: sha256(path), bytes: 0, isNew: false }),
    read: () => Promise.reject(new MediumError('it is in no store')),
  }
  // Without `isTemporary`, since files that are only checked must stay.
  await openMediaIntake(nothingStored, { locate: name => files.locate(name) }).add(source)
}

/** A path that leads nowhere, such as a link to itself, fails only the doc that names it. */
const refuseFile =
  (name: string) =>
  (error: unknown): never => {
    const why = fileTrouble(error)
    throw why === undefined ? error : new MediumError(`${name}: ${why}`, { cause: error })
  }

function refuseChanged(error: unknown): never {
  if (!(error instanceof ChangedFileError)) throw error
  throw new MediumError(`${error.message}. Retry the failed docs to have it read again`, { cause: error })
}

async function editedBytes(
  { medium, others = [], edit }: EditedMedium,
  { files, store }: { readonly files: MediaFiles; readonly store: Pick<MediaStore, 'read'> },
): Promise<Uint8Array> {
  const bytesOf = async (source: MediumSource): Promise<Uint8Array> =>
    isStoredMedium(source) ? await store.read(source.media) : readMedium(source, files)
  const [bytes, ...more] = [await bytesOf(medium), ...(await Promise.all(others.map(bytesOf)))] as const
  try {
    return await edit(bytes, more)
  } catch (error) {
    throw new MediumError(`${bytesAndPath(medium).path ?? 'the medium'} can't be changed: ${messageOf(error)}`, {
      cause: error,
    })
  }
}

function kindOf(bytes: Uint8Array, name: string, size?: number): MediaPart['type'] {
  const checked = checkMedium(bytes, size)
  if (checked.type === 'broken') throw new MediumError(`${name}: ${checked.reason}`)
  return checked.media.kind
}

/** A file that is read to be stored. */
interface ReadFile {
  readonly size: number
  /** The whole file, where `content` is set; else its first bytes. */
  readonly beginning: Uint8Array
  readonly content?: FileContent
  /** Frees the bytes. They must not be used afterwards. */
  letGo(): void
}

/** Larger files are not held in memory: only their beginning is read. */
const largestWhole = 16 * 2 ** 20
const beginningBytes = 64 * 2 ** 10

/** @throws MediumError where the file is missing or cannot be read. */
async function readSourceFile(path: string, name: string, buffers: BufferPool): Promise<ReadFile> {
  try {
    const { size: exactSize, mtimeNs: modified } = await stat(path, { bigint: true })
    const size = Number(exactSize)
    const wanted = size <= largestWhole ? size : beginningBytes
    const buffer = await buffers.take(wanted)
    const letGo = (): void => buffers.giveBack(buffer)
    try {
      await using file = await open(path)
      const { bytesRead } = await file.read(buffer, 0, wanted, 0)
      const beginning = buffer.subarray(0, bytesRead)
      return { size, beginning, letGo, ...(bytesRead === size ? { content: { bytes: beginning, modified } } : {}) }
    } catch (error) {
      letGo()
      throw error
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') throw new MediumError(`no file ${name}`, { cause: error })
    throw new MediumError(`${name} can't be read: ${fileTrouble(error) ?? messageOf(error)}`, { cause: error })
  }
}

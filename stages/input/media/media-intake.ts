import { open, readFile, rm, stat } from 'node:fs/promises'
import { z } from 'zod'
import { BufferPool } from '../../../base/collections/buffer-pool.js'
import { messageOf, systemCode } from '../../../base/errors/errors.js'
import { fileTrouble } from '../../../base/files/files.js'
import { RecentMap } from '../../../base/collections/recent-map.js'
import { decoderTrouble } from '../../../base/media/decoder-trouble.js'
import { fileSource } from '../../../base/media/byte-source.js'
import { pictureOrientation } from '../../../base/media/picture-orientation.js'
import { parseDigest, sha256, type MediaDigest } from '../../../cache/digest.js'
import { ChangedFileError } from '../../../cache/file-pieces.js'
import { uprightPicture } from '../../../cache/media/upright-picture.js'
import type { MediaPart } from '../../../cache/records.js'
import type { FileContent, MediaStore, MediumInfo, SourceFile, Store, ValueStore } from '../../../cache/store.js'
import { isAddress } from '../datasets/locate/addresses.js'
import type { MediaFiles } from '../datasets/media/media-files.js'
import { isEditedMedium, isStoredMedium, type ShownMedium } from '../render/visuals.js'
import type { EditedMedium, MediumSource } from '../tasks/doc.js'
import { checkMedium, type CheckedMedium } from './media-check.js'
import { shownName } from './inline-medium.js'
import { MediumError } from './medium-error.js'
import { bytesAndPath, noFile, readMedium } from './read-medium.js'

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
/** The number of files whose message part is remembered. Consecutive docs often share a file. */
const remembered = 4_096

/** The parts of a media store that an intake uses. */
export type IntakeStore = Pick<MediaStore, 'addBytes' | 'addFile' | 'read' | 'has'>

/**
 * Opens the intake that stores media. Pictures with an EXIF rotation are stored upright, so that they are sent and shown upright.
 *
 * @param files resolves paths
 * @param turned remembers the upright forms of pictures for later runs
 */
export function openMediaIntake(
  store: IntakeStore,
  files: MediaFiles,
  turned?: Pick<ValueStore, 'get' | 'set'>,
): MediaIntake {
  const parts = new RecentMap<string, Promise<TakenMedium>>(remembered)
  // A removed file can still be looked up by its path, for example as an example of every doc.
  const removed = new Map<string, Promise<TakenMedium>>()
  const buffers = new BufferPool(mostRead)
  let fresh = 0
  const makeMediaPart = (info: MediumInfo, type: MediaPart['type']): MediaPart => {
    if (info.isNew) fresh++
    return { type, media: info.digest }
  }
  const addUpright = (bytes: Uint8Array, name: string): Promise<MediumInfo | undefined> =>
    storeUpright(bytes, name, { store, turned })
  const addBytes = async (bytes: Uint8Array, name: string): Promise<MediaPart> => {
    const type = await detectPartType(bytes, name)
    const upright = type === 'image' ? await addUpright(bytes, name) : undefined
    return makeMediaPart(upright ?? (await store.addBytes(bytes)), type)
  }
  const locate = async (name: string): Promise<TakenMedium> => {
    const file = await files.locate(name).catch(refuseFile(name))
    if (file === undefined) throw new MediumError(noFile(name))
    const addedFile = await addFile(file, name)
    // The remembered upright form belongs to another picture.
    const isOriginal = addedFile.file?.digest === addedFile.part.media
    return isAddress(name) && isOriginal ? { ...addedFile, part: { ...addedFile.part, url: name } } : addedFile
  }
  const addTemporary = async (path: string): Promise<TakenMedium> => {
    const { size = 0 } = (await stat(path).catch(() => undefined)) ?? {}
    const part =
      size > largestWhole
        ? (await addFile(path, path)).part
        : await addBytes(await readMedium(path, { locate: name => Promise.resolve(name) }), path)
    await rm(path, { force: true })
    return { part }
  }
  const addFile = async (path: string, name: string): Promise<TakenMedium> => {
    const source = await readSourceFile(path, name, buffers)
    try {
      const type = soundKind(source.checked, name)
      if (type === 'image') {
        const whole = source.content?.bytes ?? (await readFile(path))
        const upright = await addUpright(whole, name)
        if (upright !== undefined) return { part: makeMediaPart(upright, type), file: { path, digest: sha256(whole) } }
      }
      const part = makeMediaPart(await store.addFile(path, source.content).catch(refuseChanged), type)
      return { part, file: { path, digest: part.media } }
    } finally {
      source.letGo()
    }
  }
  return {
    newMedia: () => fresh,
    async add(source) {
      if (isStoredMedium(source)) return { part: source }
      if (isEditedMedium(source))
        return { part: await addBytes(await editedBytes(source, { files, store }), 'the changed medium') }
      const { bytes, path } = bytesAndPath(source)
      if (bytes !== undefined) return { part: await addBytes(bytes, path ?? 'the medium') }
      if (path === undefined)
        throw new MediumError('the doc has no medium where the task shows one: neither bytes nor a path')
      const earlierFile = removed.get(path) ?? parts.get(path)
      if (earlierFile !== undefined) return earlierFile
      const isTemporary = files.isTemporary?.(path) === true
      const file = isTemporary ? addTemporary(path) : locate(path)
      const filesByPath = isTemporary ? removed : parts
      filesByPath.set(path, file)
      return file
    },
  }
}

const rememberedDigest = z.object({ media: z.string().transform(text => parseDigest<'media'>(text)) })

/**
 * Stores the upright form of a rotated picture. The first form is kept, because another decoder version may write other bytes.
 *
 * @returns undefined if the picture is upright
 */
async function storeUpright(
  bytes: Uint8Array,
  name: string,
  { store, turned }: { readonly store: IntakeStore; readonly turned: Pick<ValueStore, 'get' | 'set'> | undefined },
): Promise<MediumInfo | undefined> {
  if (pictureOrientation(bytes) === 1) return undefined
  const key = `upright ${sha256(bytes)}`
  const digest = rememberedDigest.safeParse(await turned?.get(key)).data?.media
  if (digest !== undefined && (await store.has(digest))) return { digest, bytes: bytes.byteLength, isNew: false }
  const upright = await uprightPicture(bytes).catch((error: unknown) => {
    throw new MediumError(`${shownName(name)}: ${messageOf(error)}`, { cause: error })
  })
  if (upright === undefined) return undefined
  const info = await store.addBytes(upright)
  await turned?.set(key, { media: info.digest })
  return info
}

/**
 * Opens an intake that computes the digests of media without storing them.
 *
 * @param noted called for each medium with its bytes, or else with the path of its file
 */
export function namedMedia(
  store: Pick<Store, 'media' | 'files'>,
  noted: (digest: MediaDigest, content: Uint8Array | string) => Promise<void> | void = () => undefined,
): IntakeStore {
  const noteMedium = async (digest: MediaDigest, content: Uint8Array | string): Promise<MediumInfo> => {
    await noted(digest, content)
    return { digest, bytes: typeof content === 'string' ? 0 : content.byteLength, isNew: false }
  }
  return {
    addBytes: bytes => noteMedium(sha256(bytes), bytes),
    // A file and a medium with the same bytes have the same SHA-256.
    addFile: async (path, content) =>
      noteMedium((await store.files.digest(path)) as string as MediaDigest, content?.bytes ?? path),
    has: digest => store.media.has(digest),
    read: digest => store.media.read(digest),
  }
}

/**
 * Opens an intake for docs that the run does not have, which computes digests.
 *
 * @param media stores temporary files. Such a file is removed after it was read, but docs of the run may also use it
 */
export function namingIntake(
  store: Pick<Store, 'media' | 'files'>,
  files: MediaFiles,
  { media, turned }: { readonly media: MediaIntake; readonly turned: Pick<ValueStore, 'get' | 'set'> },
): MediaIntake {
  const names = openMediaIntake(namedMedia(store), files, turned)
  const isTemporary = (source: ShownMedium): boolean => {
    if (files.isTemporary === undefined || isStoredMedium(source) || isEditedMedium(source)) return false
    const { path } = bytesAndPath(source)
    return path !== undefined && files.isTemporary(path)
  }
  return { ...names, add: async source => (isTemporary(source) ? media : names).add(source) }
}

/**
 * Checks a medium as ingestion would, and stores nothing.
 *
 * @throws MediumError where it is missing or broken.
 */
export async function checkMediumSource(source: ShownMedium, files: MediaFiles): Promise<void> {
  const nothingStored: IntakeStore = {
    has: () => Promise.resolve(false),
    addBytes: bytes => Promise.resolve({ digest: sha256(bytes), bytes: bytes.byteLength, isNew: false }),
    addFile: path => Promise.resolve({ digest: sha256(path), bytes: 0, isNew: false }),
    read: () => Promise.reject(new MediumError('it is in no store')),
  }
  // Without `isTemporary`, since files that are only checked must stay.
  await openMediaIntake(nothingStored, { locate: name => files.locate(name) }).add(source)
}

/** Makes the handler of file errors. An invalid path, such as a link to itself, fails only the doc that names it. */
const refuseFile =
  (name: string) =>
  (error: unknown): never => {
    const why = fileTrouble(error)
    throw why === undefined ? error : new MediumError(`${shownName(name)}: ${why}`, { cause: error })
  }

function refuseChanged(error: unknown): never {
  if (!(error instanceof ChangedFileError)) throw error
  throw new MediumError(`${error.message}. Retry the failed docs to have it read again`, { cause: error })
}

async function editedBytes(
  { medium, others = [], edit }: EditedMedium,
  { files, store }: { readonly files: MediaFiles; readonly store: Pick<MediaStore, 'read'> },
): Promise<Uint8Array> {
  const readMediumBytes = async (source: MediumSource): Promise<Uint8Array> =>
    isStoredMedium(source) ? await store.read(source.media) : readMedium(source, files)
  const [bytes, ...more] = [await readMediumBytes(medium), ...(await Promise.all(others.map(readMediumBytes)))] as const
  try {
    return await edit(bytes, more)
  } catch (error) {
    throw new MediumError(`${bytesAndPath(medium).path ?? 'the medium'} can't be changed: ${decoderTrouble(error)}`, {
      cause: error,
    })
  }
}

const detectPartType = async (bytes: Uint8Array, name: string): Promise<MediaPart['type']> =>
  soundKind(await checkMedium(bytes), name)

function soundKind(checked: CheckedMedium, name: string): MediaPart['type'] {
  if (checked.type === 'broken') throw new MediumError(`${shownName(name)}: ${checked.reason}`)
  return checked.media.kind
}

/** A file that is read to be stored. */
interface ReadFile {
  readonly checked: CheckedMedium
  readonly content?: FileContent
  /** Frees the bytes. They must not be used afterwards. */
  letGo(): void
}

/** The maximum number of bytes to read of a file here. The caller reads the rest of a larger picture, because its orientation may be anywhere in the file. */
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
      const checked = await checkMedium(beginning, fileSource(file, beginning, size))
      return { checked, letGo, ...(bytesRead === size ? { content: { bytes: beginning, modified } } : {}) }
    } catch (error) {
      letGo()
      throw error
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') throw new MediumError(noFile(name), { cause: error })
    throw new MediumError(`${shownName(name)} can't be read: ${fileTrouble(error) ?? messageOf(error)}`, {
      cause: error,
    })
  }
}

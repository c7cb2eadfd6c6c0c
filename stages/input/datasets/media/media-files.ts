import { isFile, isFileSync } from '../../../../base/files/path-kinds.js'
import { realpath } from 'node:fs/promises'
import { extname, isAbsolute, join, relative, resolve } from 'node:path'
import { MediumError } from '../../media/medium-error.js'
import { isAddress } from '../locate/addresses.js'

/** The media files of a dataset, by the name that a row or a task has for them. */
export interface MediaFiles {
  /**
   * Returns the path of a file, and downloads or unpacks it if necessary. Returns `undefined` if the file does not exist.
   *
   * @param signal aborts a download from an address
   */
  locate(name: string, signal?: AbortSignal): Promise<string | undefined>
  /** Returns whether a file was made for one doc alone, and is removed when its content is stored. */
  readonly isTemporary?: (path: string) => boolean
}

export interface MediaSources {
  /** Local folders. Relative names begin at the first. */
  readonly folders: readonly string[]
  /** Archives to be unpacked, one after another until a name is found. */
  readonly lazy: readonly (() => Promise<string>)[]
  /** Downloads a file of the repository. Returns undefined if the file does not exist. */
  readonly fetch?: (name: string) => Promise<string | undefined>
  /**
   * Downloads the file at an address.
   * @throws MediumError if that fails.
   */
  readonly fetchAddress?: (address: string, signal?: AbortSignal) => Promise<string>
  /** True if names may lead out of the folders. Names in a dataset from elsewhere must not. */
  readonly isTrusted: boolean
  /** The folders that names may refer to. If set, symbolic links must stay within the folders, and other names are rejected. */
  readonly bounds?: readonly string[]
  /**
   * True to accept a file with a similar name (`a.mp4` for `videos/a.MP4`). Benchmarks that publish media apart from their rows need it. The exact
   * name is always tried first.
   */
  readonly isLenient: boolean
}

const videoEndings = ['.mp4', '.webm', '.mkv', '.mov', '.avi']
const subfolders = ['video', 'videos', 'clips', 'audio', 'audios', 'images']

function spellings(name: string): readonly string[] {
  const ending = extname(name)
  const stem = name.slice(0, name.length - ending.length)
  const isVideo = videoEndings.includes(ending.toLowerCase())
  const endings = ending === '' || isVideo ? videoEndings : [ending.toLowerCase(), ending.toUpperCase()]
  const names = [
    name,
    ...endings.flatMap(other =>
      ending === '' ? [`${name}${other}`] : [`${stem}${other}`, `${stem}${other.toUpperCase()}`],
    ),
  ]
  return [
    ...new Set([...names, ...subfolders.flatMap(folder => names.map(relativeName => join(folder, relativeName)))]),
  ]
}

/** Looks for files in folders, then in the repository, then in archives that are not unpacked yet. */
export function openMediaFiles(sources: MediaSources): MediaFiles {
  const { folders, lazy, fetch, fetchAddress, isTrusted, bounds, isLenient } = sources
  const opened: string[] = [...folders]
  const waiting = [...lazy]
  let queue: Promise<unknown> = Promise.resolve()
  const isAllowed = (path: string): boolean =>
    isTrusted || [...opened, ...(bounds ?? [])].some(folder => isInside(path, folder))
  const refuseOutside = (name: string, path: string): void => {
    if (bounds !== undefined && !isAllowed(path)) throw outside(name)
  }
  const checkLinks = async (name: string, path: string | undefined): Promise<string | undefined> => {
    if (path === undefined || bounds === undefined) return path
    const folders = await Promise.all([...opened, ...bounds].map(realPath))
    const real = await realPath(path)
    if (!folders.some(folder => isInside(real, folder))) throw outside(name)
    return real
  }
  const inFolders = (name: string): string | undefined => {
    for (const spelling of isLenient && !isAbsolute(name) ? spellings(name) : [name])
      for (const folder of opened) {
        const path = resolve(folder, spelling)
        if (isAllowed(path) && isFileSync(path)) return path
      }
    return undefined
  }
  const openNext = async (name: string): Promise<string | undefined> => {
    for (;;) {
      const path = inFolders(name)
      const next = waiting.shift()
      if (path !== undefined || next === undefined) {
        if (next !== undefined) waiting.unshift(next)
        return path
      }
      opened.push(await next())
    }
  }
  return {
    async locate(name, signal) {
      if (name.includes('\0')) return undefined
      if (isAddress(name)) return fetchAddress?.(name, signal)
      const file = resolve(opened[0] ?? '.', name)
      // The message must not reveal whether the file exists.
      refuseOutside(name, file)
      if (isAllowed(file) && (await isFile(file))) return checkLinks(name, file)
      const mediaFile = inFolders(name) ?? (await fetchMediaFile(name, fetch))
      if (mediaFile !== undefined) return checkLinks(name, mediaFile)
      const unpacked = queue.then(() => openNext(name))
      queue = unpacked.catch(() => undefined)
      return checkLinks(name, await unpacked)
    },
  }
}

async function fetchMediaFile(name: string, fetch: MediaSources['fetch']): Promise<string | undefined> {
  if (fetch === undefined || isAbsolute(name)) return undefined
  for (const spelling of spellings(name)) {
    const file = await fetch(spelling)
    if (file !== undefined) return file
  }
  return undefined
}

const outside = (name: string): MediumError =>
  new MediumError(
    `${name} is outside of the folders that rows of this job may name: the dataset's folder, PIPELINE_MEDIA_ROOT, and those that the server allows (allow-dir)`,
  )

/** The path without symbolic links, where it exists. */
const realPath = (path: string): Promise<string> => realpath(path).catch(() => path)

function isInside(path: string, folder: string): boolean {
  const below = relative(folder, path)
  return below !== '' && !below.startsWith('..') && !isAbsolute(below)
}

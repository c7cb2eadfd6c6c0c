/** Converts docs of judge records to the form for Python processes. */
import { RecentResults } from '../../../base/collections/recent-map.js'
import { messageOf } from '../../../base/errors/errors.js'
import { option, storedText } from '../../../base/errors/option-words.js'
import { isList, isObject, type Json } from '../../../base/values/canonical-json.js'
import { parsePointer, valueAt } from '../../../base/values/json-pointer.js'
import { emptyTable, setValue } from '../../../base/values/named-values.js'
import type { MediaDigest } from '../../../cache/digest.js'
import type { JsonObject, RecordMarks } from '../../../cache/records.js'
import type { HeldFiles } from '../../../cache/media/held-files.js'
import type { MediaStore, MediumFile } from '../../../cache/store.js'
import type { KeepPicture } from './judge-request.js'

/** Access to media for scoring code and judge requests. */
export interface ScoringMedia {
  /** Opens the file of a medium of the store. @throws Error if it is missing or damaged */
  readonly openFile: (digest: MediaDigest) => Promise<MediumFile>
  readonly keep: KeepPicture
}

/** The methods of the media store that scoring needs. */
export type MediaOfStore = Pick<MediaStore, 'has' | 'read' | 'openFile' | 'addBytes'>

/** The maximum number of media remembered as undamaged. */
const remembered = 8_192

/** Opens media of a store for scoring. Each medium is checked against its digest before a process gets its file, one at a time. */
export function scoringMedia(store: MediaOfStore): ScoringMedia {
  const checked = new RecentResults<true>(remembered)
  let queue: Promise<unknown> = Promise.resolve()
  return {
    openFile: async digest => {
      await checked.get(digest, () => {
        const verified = queue.then(() => verifyMedium(store, digest))
        queue = verified.catch(() => undefined)
        return verified
      })
      return store.openFile(digest)
    },
    keep: async bytes => (await store.addBytes(bytes)).digest,
  }
}

async function verifyMedium(store: MediaOfStore, digest: MediaDigest): Promise<true> {
  if (!(await store.has(digest)))
    throw new Error(
      storedText(
        `medium ${digest} is not in the store. Import a bundle of the run that was exported with ${option('media')}`,
      ),
    )
  await store.read(digest)
  return true
}

/** The marks of the values within a value. */
interface Marked {
  readonly within: Map<string, Marked>
  isFloat?: boolean
  isMedium?: boolean
  wire?: Json
}

/**
 * Converts a doc for Python functions, with floating-point numbers, times and media in their Python types.
 *
 * @throws Error if a medium is not in the store
 */
export async function wireRecord(
  doc: JsonObject,
  marks: RecordMarks = {},
  files?: Pick<HeldFiles, 'find'>,
): Promise<Json> {
  const { floats = [], media = [], wire = {} } = marks
  const paths = new Map<string, string>()
  const root: Marked = { within: new Map() }
  for (const pointer of floats) markedAt(root, pointer).isFloat = true
  for (const [pointer, value] of Object.entries(wire)) markedAt(root, pointer).wire = value
  for (const pointer of media) {
    markedAt(root, pointer).isMedium = true
    const digest = digestAt(doc, pointer)
    if (digest !== undefined) paths.set(digest, await findMedium(digest, pointer, files))
  }
  return encodeValue(doc, root, paths)
}

function markedAt(root: Marked, pointer: string): Marked {
  let at = root
  for (const step of parsePointer(pointer)) {
    const next = at.within.get(step) ?? { within: new Map<string, Marked>() }
    at.within.set(step, next)
    at = next
  }
  return at
}

function digestAt(doc: JsonObject, pointer: string): MediaDigest | undefined {
  const part = valueAt(doc, pointer)
  return isObject(part) && typeof part['media'] === 'string' ? (part['media'] as MediaDigest) : undefined
}

async function findMedium(
  digest: MediaDigest,
  pointer: string,
  files: Pick<HeldFiles, 'find'> | undefined,
): Promise<string> {
  if (files === undefined) throw new Error(`the medium at ${pointer} of the doc cannot be read without a store`)
  try {
    return await files.find(digest)
  } catch (error) {
    throw new Error(`the doc's ${pointer}: ${messageOf(error)}`, { cause: error })
  }
}

function encodeValue(value: Json, marking: Marked | undefined, paths: ReadonlyMap<string, string>): Json {
  if (marking?.wire !== undefined) return marking.wire
  if (marking?.isFloat === true && typeof value === 'number') return { $float: `${value}.0` }
  if (typeof value !== 'object' || value === null) return value
  if (isList(value)) return value.map((item, at) => encodeValue(item, marking?.within.get(String(at)), paths))
  if (marking?.isMedium === true) return wiredMedium(value, paths)
  const fields = emptyTable<Json>()
  for (const [name, item] of Object.entries(value))
    setValue(fields, name, encodeValue(item ?? null, marking?.within.get(name), paths))
  const [[name, content] = ['', null], ...otherEntries] = Object.entries(fields)
  // A dictionary with a single key that begins with `$` would be read as a marked value.
  return name.startsWith('$') && otherEntries.length === 0 ? { $dict: [[name, content]] } : fields
}

/** Converts a medium to `datasets`' form for pictures and recordings. Other media have no decoded form. */
function wiredMedium({ type, media }: JsonObject, paths: ReadonlyMap<string, string>): Json {
  const path = (typeof media === 'string' ? paths.get(media) : undefined) ?? null
  if (type === 'image') return { $image: { path } }
  return type === 'audio' ? { $audio: { path, decode: true } } : { bytes: null, path }
}

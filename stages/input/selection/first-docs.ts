import { open } from 'node:fs/promises'
import { systemCode } from '../../../base/errors/errors.js'
import { ofDoc } from '../../../base/time/time-limit.js'
import { fileSource } from '../../../base/media/byte-source.js'
import { type MediaType, sniffLength, sniffMediaType } from '../../../base/media/media-type.js'
import type { MediaFiles } from '../datasets/media/media-files.js'
import { docNames } from '../doc-names.js'
import { MediumError } from '../media/medium-error.js'
import { bytesAndPath } from '../media/read-medium.js'
import type { PreparedTask } from '../prepare-task.js'
import type { DraftPart } from '../render/messages.js'
import { isEditedMedium, type ShownMedium } from '../render/visuals.js'
import type { DocRange } from './doc-range.js'

/** A kind of medium that a task shows, and the first doc that shows it. */
export interface ShownKind {
  readonly kind: MediaType['kind']
  readonly doc: string
}

/** Maximum docs that are rendered, and docs that are skipped before them. */
const looked = 20
const passed = 1_000

/** Finds the kinds of media that the first selected docs show, examples included. Later docs may show other kinds. */
export async function shownKinds(prepared: PreparedTask, range: DocRange): Promise<readonly ShownKind[]> {
  const docsByKind = new Map<MediaType['kind'], string>()
  if (range.start >= Math.min(range.end, passed)) return []
  const choose = prepared.examples?.()
  const nameOf = docNames()
  let index = -1
  let docCount = 0
  for await (const doc of prepared.docs()) {
    if (++index >= Math.min(range.end, range.start + passed)) break
    const examples = choose?.(doc)
    const id = nameOf(doc, index)
    if (index < range.start || range.only?.has(index) === false) continue
    const of = { task: prepared.task, id, limit: prepared.timeLimit }
    const rendered = ofDoc(of, () => prepared.renderer.render(doc, examples))
    const messages = rendered.type === 'failed' ? [] : rendered.messages
    for (const part of messages.flatMap(({ content }) => content)) {
      const kind = await readPartKind(part, prepared)
      if (kind !== undefined && !docsByKind.has(kind)) docsByKind.set(kind, id)
    }
    if (++docCount === looked) break
  }
  return [...docsByKind].map(([kind, doc]) => ({ kind, doc }))
}

const readPartKind = async (part: DraftPart, { dataset }: PreparedTask): Promise<MediaType['kind'] | undefined> =>
  part.type === 'text' ? undefined : mediumKind(part.source, dataset.media)

/** Returns the kind of a medium by its first bytes; `undefined` where it is missing, damaged or of unknown format. */
async function mediumKind(source: ShownMedium, files: MediaFiles): Promise<MediaType['kind'] | undefined> {
  try {
    const { bytes, path } = bytesAndPath(isEditedMedium(source) ? source.medium : source)
    if (bytes !== undefined) return sniffMediaType(bytes)?.kind
    const file = path === undefined ? undefined : await files.locate(path)
    return file === undefined ? undefined : await kindOfFile(file)
  } catch (error) {
    // Missing or damaged media are reported when the doc is ingested.
    if (!(error instanceof MediumError) && systemCode(error) === undefined) throw error
    return undefined
  }
}

async function kindOfFile(path: string): Promise<MediaType['kind'] | undefined> {
  await using file = await open(path)
  const { size } = await file.stat()
  const { buffer, bytesRead } = await file.read(Buffer.alloc(sniffLength), 0, sniffLength, 0)
  const head = buffer.subarray(0, bytesRead)
  return sniffMediaType(head, fileSource(file, head, size))?.kind
}

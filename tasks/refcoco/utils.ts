import type { Doc, EditedMedium, MediumSource, ProcessDocs } from '../../stages/input/tasks/doc.js'
import sharp from 'sharp'
import { texts } from '../_shared/options.js'
import { marked, type Point } from './mark.js'

const red = [255, 0, 0] as const
const white = [255, 255, 255] as const

/** The picture with the object's box in red. */
export function withBox(doc: Doc): EditedMedium {
  const [left, top, width, height] = readBox(doc)
  const [right, bottom] = [left + width, top + height]
  const corners: readonly Point[] = [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ]
  return { medium: picture(doc), edit: bytes => marked(bytes, corners, red) }
}

/** The picture with the object's outline in white. */
export function withOutline(doc: Doc): EditedMedium {
  const line = numbers(doc['segmentation'], 'segmentation')
  const corners = line.flatMap((x, at): readonly Point[] => (at % 2 === 0 ? [[x, line[at + 1] ?? 0]] : []))
  return { medium: picture(doc), edit: bytes => marked(bytes, corners, white) }
}

/**
 * One doc for each expression, with its box as corners in fractions of the picture's width and height. Docs that were made so before are
 * kept.
 */
export const oneExpressionEach: ProcessDocs = async function* (docs, { read }) {
  for await (const doc of docs) {
    if (typeof doc['answer'] === 'string') {
      yield doc
      continue
    }
    const { width, height } = await readSize(await read(picture(doc)))
    const [left, top, across, down] = readBox(doc)
    const bbox = [left / width, top / height, (left + across) / width, (top + down) / height]
    for (const answer of texts(doc['answer'], 'answer'))
      yield { ...doc, answer, bbox, image_width: width, image_height: height }
  }
}

/** Reads the size of a picture as it is shown, in pixels. */
async function readSize(bytes: Uint8Array): Promise<{ readonly width: number; readonly height: number }> {
  const { autoOrient } = await sharp(bytes).metadata()
  return autoOrient
}

// What a column of pictures holds is checked where it is read.
const picture = (doc: Doc): MediumSource => doc['image'] as MediumSource

function readBox(doc: Doc): readonly [left: number, top: number, width: number, height: number] {
  const [left, top, width, height] = numbers(doc['bbox'], 'bbox')
  if (left === undefined || top === undefined || width === undefined || height === undefined)
    throw new Error(`the field "bbox" must be four numbers, not ${JSON.stringify(doc['bbox'])}`)
  return [left, top, width, height]
}

function numbers(value: unknown, field: string): readonly number[] {
  if (Array.isArray(value) && value.every(one => typeof one === 'number')) return value
  throw new Error(`the field "${field}" must be a list of numbers`)
}

import { isObject, type Json } from '../../../../base/values/canonical-json.js'
import type { PictureSize } from '../../../../base/media/picture-size.js'
import type { Box } from '../data/index.js'

const mostBoxes = 50

/**
 * Reads the boxes of a target or of an extracted answer: four numbers, a list of such lists, `{bbox: …}`, or a text with the JSON of one of these.
 * The numbers are left, top, right and bottom.
 *
 * Their unit is guessed in this order. Numbers that are all at most 1 are shares of the picture. Numbers that fit within the picture are pixels.
 * Numbers up to 1,000 are thousandths. Other numbers are no box.
 */
export function parseBoxes(of: Box['of'], value: Json, picture: PictureSize | undefined): readonly Box[] {
  return listCorners(parseJsonText(value))
    .slice(0, mostBoxes)
    .flatMap(numbers => {
      const corners = computeShares(numbers, picture)
      return corners === undefined ? [] : [{ of, corners }]
    })
}

type Corners = Box['corners']

/** JSON inside a text, because many datasets and models write boxes as texts. */
function parseJsonText(value: Json): Json {
  if (typeof value !== 'string') return value
  const [text] = /\[[\d\s.,[\]-]{7,2000}\]/.exec(value.slice(0, 4_000)) ?? []
  if (text === undefined) return null
  try {
    return JSON.parse(text) as Json
  } catch {
    return null
  }
}

function listCorners(value: Json): readonly Corners[] {
  if (isObject(value)) return listCorners(value['bbox'] ?? null)
  if (!Array.isArray(value)) return []
  const list = value as readonly Json[]
  if (isCorners(list)) return [list]
  return list.flatMap(inner =>
    Array.isArray(inner) && isCorners(inner as readonly Json[]) ? [inner as unknown as Corners] : [],
  )
}

const isCorners = (list: readonly unknown[]): list is Corners =>
  list.length === 4 && list.every(number => typeof number === 'number' && Number.isFinite(number) && number >= 0)

function computeShares([left, top, right, bottom]: Corners, picture: PictureSize | undefined): Corners | undefined {
  if (right <= left || bottom <= top) return undefined
  const fits = (width: number, height: number): boolean => right <= width && bottom <= height
  const divideCorners = (width: number, height: number): Corners => [
    left / width,
    top / height,
    right / width,
    bottom / height,
  ]
  if (fits(1, 1)) return [left, top, right, bottom]
  if (picture !== undefined && fits(picture.width, picture.height)) return divideCorners(picture.width, picture.height)
  return fits(1000, 1000) ? divideCorners(1000, 1000) : undefined
}

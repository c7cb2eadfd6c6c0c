/** Routes below `/view/media/DIGEST`: media, thumbnails, waveforms. */
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { z } from 'zod'
import { mistakeLines } from '../../../../base/errors/schema-mistakes.js'
import { ofClient } from '../../client-wording.js'
import { requireScope } from '../../http/guards/access.js'
import { RefusedError } from '../../http/problems.js'
import { parseParameters } from '../queries.js'
import type { Viewer } from '../viewer.js'
import { byteRange } from './byte-range.js'
import { derivation } from './frames.js'
import type { FoundMedium } from './media-file.js'
import { mostThumbnailWidth } from './thumbnails.js'

const width = z.coerce.number().int().min(16).max(mostThumbnailWidth).default(320)
const time = z.coerce.number().min(0).max(1e6)
const points = z.coerce.number().int().min(1).max(4000).default(800)

/** Widths of small pictures are rounded up to these, so that few are made. */
const widths = [64, 160, 320, mostThumbnailWidth]

const roundedUp = (wanted: number): number => widths.find(size => size >= wanted) ?? mostThumbnailWidth

/** Adds the routes that send media, thumbnails and frames of videos. */
export function addMediaRoutes(app: OpenAPIHono, { media }: Viewer): void {
  app.get('/view/media/:digest', async context => answerWithFile(context, await findMedium(context), media))

  app.get('/view/media/:digest/thumbnail', async context => {
    const wanted = parseNumber(width, context, 'width')
    const medium = await findMedium(context)
    // The decoder does not know BMP, and browsers do.
    if (medium.format === 'bmp') return context.redirect(`../${medium.digest}`)
    const thumbnail = await media.thumbnail(medium, roundedUp(wanted))
    return answerWith(context, thumbnail, 'image/webp')
  })

  app.get('/view/media/:digest/peaks', async context => {
    const n = parseNumber(points, context, 'n')
    return answerWith(context, await media.peaks(await findMedium(context), n), 'application/json')
  })

  app.get('/view/media/:digest/frames', async context => {
    const { at, derive = '{}' } = parseParameters(context.req.url)
    if (at === undefined)
      return answerWith(context, await media.frameTimes(await findMedium(context), howIn(derive)), 'application/json')
    const frame = { seconds: parseNumber(time, context, 'at'), width: roundedUp(parseNumber(width, context, 'width')) }
    return answerWith(context, await media.framePicture(await findMedium(context), frame), 'image/jpeg')
  })

  function findMedium(context: Context): Promise<FoundMedium> {
    requireScope(context, 'read')
    return media.find(context.req.param('digest') ?? '')
  }
}

/** `?derive={"start":2,"frames":{…}}`, as the page got it with the sample. */
function howIn(text: string): z.output<typeof derivation> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new RefusedError(422, 'derive: expected JSON')
  }
  const parsed = derivation.safeParse(value)
  if (parsed.success) return parsed.data
  throw new RefusedError(422, 'derive: expected what was made of the video')
}

function parseNumber(schema: z.ZodType<number>, context: Context, name: string): number {
  const value = parseParameters(context.req.url)[name]
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new RefusedError(422, mistakeLines(parsed.error.issues, value, { ...ofClient, whole: name }))
}

/** Sets headers so that a medium opened as a page can load and run nothing. */
function safely(context: Context): void {
  context.header('content-security-policy', "sandbox; default-src 'none'; frame-ancestors 'none'")
  context.header('cache-control', 'private, max-age=31536000, immutable')
}

function answerWith(context: Context, bytes: Uint8Array<ArrayBuffer>, type: string): Response {
  safely(context)
  context.header('content-type', type)
  return context.body(bytes)
}

function answerWithFile(context: Context, medium: FoundMedium, media: Viewer['media']): Response {
  const { digest, bytes, type, format } = medium
  const { req } = context
  const etag = `"${digest}"`
  safely(context)
  context.header('etag', etag)
  if (req.header('if-none-match') === etag) return context.body(null, 304)
  context.header('accept-ranges', 'bytes')
  const isSame = [undefined, etag].includes(req.header('if-range'))
  const range = isSame ? byteRange(req.header('range'), bytes) : undefined
  if (range === 'unsatisfiable') {
    context.header('cache-control', 'no-store')
    context.header('content-range', `bytes */${bytes}`)
    return context.body(null, 416)
  }
  const { from, to } = range ?? { from: 0, to: bytes }
  context.header('content-type', type)
  context.header('content-length', String(to - from))
  if (type === 'application/octet-stream')
    context.header('content-disposition', `attachment; filename="${formatFileName(digest, format)}"`)
  if (range !== undefined) context.header('content-range', `bytes ${from}-${to - 1}/${bytes}`)
  const status = range === undefined ? 200 : 206
  return to === from ? context.body(null, status) : context.body(media.stream(medium, { from, to }), status)
}

/** `1f3a9c0d2b4e.pdf` */
const formatFileName = (digest: string, format = 'bin'): string => `${digest.slice(7, 19)}.${format}`

/** Shows a medium of a prompt with its facts. */
import type { Box, MediaRef } from '../../../present/page/data/index.js'
import type { MediaPart, Source } from '../../data/source.js'
import { size } from '../../../../base/text/numbers.js'
import { safeLink, visibleText } from '../safe-text.js'
import { Film } from './film.js'
import { Picture } from './picture.js'
import { Sound } from './sound.js'

/** The medium to show, and the boxes to draw on it. */
export interface MediumProps {
  readonly source: Source
  readonly part: MediaPart
  /** Boxes to draw over the picture. */
  readonly boxes?: readonly Box[]
}

/** Shows a picture, a sound, a video or a file of a message. */
export function Medium({ source, part, boxes = [] }: MediumProps) {
  const { medium, type, url } = part
  const address = source.mediaUrl(medium)
  const link = url === undefined ? undefined : safeLink(url)
  return (
    <figure class="medium">
      <Shown {...{ source, part, boxes }} />
      <figcaption class="dim">
        {describeMedium(medium)}
        {part.derive !== undefined && Object.keys(part.derive).length > 0 && `, sent as ${derivedAs(part.derive)}`}
        {type === 'file' && address !== undefined && (
          <>
            {', '}
            <a href={address} download>
              download
            </a>
          </>
        )}
        {link !== undefined && (
          <>
            {', from '}
            <a href={link} rel="noopener noreferrer" target="_blank">
              {visibleText(link)}
            </a>
          </>
        )}
      </figcaption>
    </figure>
  )
}

function Shown({ source, part, boxes = [] }: MediumProps) {
  const { medium, type } = part
  const address = source.mediaUrl(medium)
  if (medium.isMissing === true || (address === undefined && source.thumbnailUrl(medium, 1024) === undefined))
    return <NotHere medium={medium} />
  if (type === 'image') return <Picture {...{ source, medium, boxes }} />
  if (address === undefined) return <NotHere medium={medium} />
  if (type === 'audio') return <Sound {...{ source, medium, address }} />
  if (type === 'video') return <Film {...{ source, part, address }} />
  return null
}

function NotHere({ medium }: { readonly medium: MediaRef }) {
  return (
    <p class="not-here">
      {medium.isMissing === true
        ? `The ${kindNames[medium.kind]} is missing or damaged. It belongs at `
        : `The ${kindNames[medium.kind]} is at `}
      <code>{visibleText(medium.path)}</code>
    </p>
  )
}

/** The names of kinds of media on the pages. */
export const kindNames = { image: 'picture', audio: 'sound', video: 'video', file: 'file' } as const

/** `image/png, 640 × 480, 12 kB` */
const describeMedium = ({ type, width, height, bytes }: MediaRef): string =>
  [
    visibleText(type),
    ...(width === undefined || height === undefined ? [] : [`${width} × ${height}`]),
    size(bytes),
  ].join(', ')

/** `frames: 8, longest_side: 512` */
const derivedAs = (derive: NonNullable<MediaPart['derive']>): string =>
  visibleText(
    Object.entries(derive)
      .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
      .join(', '),
  )
